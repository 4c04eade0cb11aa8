import { describe, expect, it } from "vitest";
import { spendingOf, type Spending } from "./budget.ts";
import { methodOf } from "./method.ts";
import { CellSpec } from "./run.ts";

/** Spending of a spec with one group of one episode per iteration, so that iterations equal episodes. */
function spend(change: Record<string, unknown>): Spending {
  return spendingOf(
    CellSpec.parse({
      environment: { id: "sokoban" },
      method: methodOf("grpo"),
      rollout: { numGroups: 1, groupSize: 1 },
      ...change,
    }),
  );
}

const split = (units: number, demonstrationShare: number, demonstrationCost = 10) => ({
  budget: { iterations: 77, split: { units, demonstrationShare, demonstrationCost } },
});

describe("without a split, a run spends what its two fields say", () => {
  it.each([
    ["demonstrations", 150],
    ["rejection", 150],
    ["scratch", 0],
  ])("%s", (kind, numDemonstrations) => {
    const initialisation = kind === "scratch" ? { kind } : { kind, numEpisodes: 150 };
    expect(spend({ initialisation, budget: { iterations: 77 } })).toEqual({ numDemonstrations, iterations: 77 });
  });
});

describe("a split budget", () => {
  // The paper's grid: 1,000 units, of which a demonstration costs ten.
  it.each([
    { share: 0, numDemonstrations: 0, iterations: 1000 },
    { share: 0.6, numDemonstrations: 60, iterations: 400 },
    { share: 1, numDemonstrations: 100, iterations: 0 },
  ])("of 1,000 units and a share of $share buys $numDemonstrations demonstrations", ({ share, ...expected }) => {
    expect(spend(split(1000, share))).toEqual(expected);
  });

  it("takes the place of both fields", () => {
    const initialisation = { kind: "demonstrations", numEpisodes: 5000 };
    expect(spend({ initialisation, ...split(1000, 0.6) })).toEqual({ numDemonstrations: 60, iterations: 400 });
  });

  it("buys whole iterations of all their episodes, and leaves over what is no whole one", () => {
    const rollout = { numGroups: 8, groupSize: 4 };
    expect(spend({ rollout, ...split(1000, 0.5, 7) })).toEqual({ numDemonstrations: 71, iterations: 15 });
  });

  it("never spends more than there is, and never leaves what would have bought one more", () => {
    for (const units of [1, 10, 999, 1000, 12_345, 1e6])
      for (const cost of [0.5, 1, 3, 10])
        for (let percent = 0; percent <= 100; percent++) {
          const { numDemonstrations, iterations } = spend(split(units, percent / 100, cost));
          // Units are counted in hundredths, so that the expected values are exact.
          const [forDemonstrations, forLearning] = [units * percent, units * (100 - percent)];
          const title = `${units} units, ${percent} %, cost ${cost}`;
          expect(numDemonstrations, title).toBe(Math.floor(forDemonstrations / (100 * cost)));
          expect(iterations, title).toBe(Math.floor(forLearning / 100));
        }
  });
});
