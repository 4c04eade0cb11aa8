import { expect, it } from "vitest";
import { prepareShares } from "./prepareShares.ts";

const environment = { id: "sokoban" };
const phase = (name: string, until?: object) => ({ name, environment, ...(until && { until }) });

it("shares a mixture by its weights, 1 if absent; draws nothing while a weight is no number", () => {
  const [one, two] = prepareShares([{ name: "one", weight: 3, environment }, { environment }], "parts", 200);
  expect(one).toEqual({ name: "one (Sokoban)", fraction: 0.75, text: "75 %", isOpen: false });
  expect(two).toEqual({ name: "Sokoban", fraction: 0.25, text: "25 %", isOpen: false });
  expect(prepareShares([{ weight: "many", environment }, { environment }], "parts", 200)).toEqual([]);
});

it.each([
  [
    [phase("a", { iterations: 24 }), phase("b")],
    [0.24, 0.76],
    ["iterations 1–24", "iterations 25–100"],
  ],
  [
    [phase("a", { iterations: 20, success: 0.8 }), phase("b", { iterations: 30 }), phase("c")],
    [0.2, 0.3, 0.5],
    ["iterations 1–20 or until 80 % success", "for 30 iterations", "to the end"],
  ],
  [
    [phase("a", { success: 0.8 }), phase("b", { iterations: 10 }), phase("c")],
    [1 / 3, 0.1, 17 / 30],
    ["until 80 % success", "for 10 iterations", "to the end"],
  ],
  [
    [phase("a", { iterations: 120 }), phase("b")],
    [1, 0],
    ["iterations 1–100", "never begins in 100 iterations"],
  ],
  [
    [phase("a"), phase("b")],
    [0.5, 0.5],
    ["has no end", "to the end"],
  ],
])("draws the phases of a curriculum over 100 iterations (%#)", (phases, fractions, texts) => {
  const shares = prepareShares(phases, "phases", 100);
  expect(shares.map(({ text }) => text)).toEqual(texts);
  for (const [i, { fraction }] of shares.entries()) expect(fraction).toBeCloseTo(fractions[i] ?? Number.NaN);
});
