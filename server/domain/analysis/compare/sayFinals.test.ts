import { expect, test } from "vitest";
import { holm } from "#packages/statistics";
import { sayFinals, sayPanels } from "./sayFinals.ts";

const names = new Map([
  [1, "GRPO"],
  [2, "GSPO"],
  [3, "SAPO"],
]);
const asked = { names, metric: "evaluation/successRate" };
const spread = { n: 3, mean: 0.5, interval: null } as const;
const value = (cellId: number, difference?: number, p: number | null = null, n = p === null ? 2 : 3) => ({
  ...spread,
  n,
  cellId,
  baselineId: 1,
  ...(difference !== undefined && {
    difference: {
      value: difference,
      interval: { low: difference - 0.1, high: difference + 0.1 },
      p,
      pairing: "unpaired",
    },
  }),
});

const say = (...values: ReturnType<typeof value>[]) => {
  const all = [value(1), ...values];
  const corrected = holm(all.map(({ difference }) => difference?.p ?? NaN));
  const shown = all.map((one, i) => ({ ...one, correctedP: Number.isNaN(corrected[i]) ? null : corrected[i] }));
  return sayFinals(shown as never, asked);
};

test("a difference is called one only if it is significant", () => {
  expect(say(value(2, -0.016, 0.815))).toMatch(
    /^No significant difference from GRPO in success rate: GSPO −1\.6 \[.*\] points \(p = 0\.815\)\.$/,
  );
  expect(say(value(2, 0.3, 0.01), value(3, 0.05, 0.4))).toMatch(
    /^Different from GRPO in success rate: GSPO \+30.* points \(p = 0\.020, Holm\)\.$/,
  );
  expect(say(value(2, 0.01, 0.9), value(3, 0.05, 0.4))).toBe("No significant difference from GRPO in success rate.");
  expect(say(value(2, 0.3, 1e-5))).toMatch(/ \(p < 0\.001\)\.$/);
  expect(say(value(2, 0.01))).toBe("");
});

test("a sentence about several tests corrects them, and counts what was not tested", () => {
  expect(say(value(2, 0.1, 0.03), value(3, 0.1, 0.04))).toBe("No significant difference from GRPO in success rate.");
  expect(say(value(2, 0.3, 0.01), value(3, 0.05))).toMatch(
    /^Different from GRPO in success rate: GSPO .* \(p = 0\.010\)\. 1 configuration not tested: fewer than three seeds\.$/,
  );
  expect(say(value(2, 0.01, 0.9), value(3, 0.05), value(4))).toMatch(
    / 2 configurations not tested: fewer than three seeds\.$/,
  );
  expect(say(value(2, 0.01, 0.9), value(3, 0.05, null, 3))).toMatch(
    / 1 configuration not tested: seeds do not vary\.$/,
  );
});

test("a sentence about a figure covers all of its panels, and corrects for their number", () => {
  const panel = (metric: string, p: number | null) => ({ metric, values: [value(1), value(2, 0.1, p)] }) as never;
  const panels = (...ps: (number | null)[]) =>
    sayPanels(
      ps.map((p, i) => panel(["policy/clipFractionLow", "policy/clipFractionHigh", "policy/klOld"][i] ?? "", p)),
      names,
    );
  // Alone, the second metric would differ.
  expect(panels(0.3, 0.04, 0.9)).toBe(
    "None of 3 compared metrics differs significantly from GRPO (Holm’s correction).",
  );
  expect(panels(0.3, 0.01, null)).toMatch(
    /^1 of 2 compared metrics differs significantly from GRPO \(Holm’s correction\): clipped above \(GSPO \+10\.0 \[.*\] points, p = 0\.020\)\. 1 metric not tested\.$/,
  );
  expect(panels(null, null)).toBe("");
  expect(panels(0.3)).toMatch(/^No significant difference from GRPO in clipped below/);
});
