import { describe, expect, it } from "vitest";
import { makeDetector, toEffective } from "../detector.ts";
import { lookBack } from "./hindsight.ts";
import { labelPoints } from "./labelPoints.ts";
import type { Point } from "../signals/point.ts";
import { replay } from "../replay.ts";
import { generateRun, syntheticSize, type Family } from "../testing/generate.ts";
import { isCollapse } from "./label.ts";

const effective = toEffective(syntheticSize);
const detector = makeDetector(effective);

/**
 * A synthetic run that logs success only as returns, in training and on held-out tasks, shifted by a constant. Returns
 * are rounded to 2⁻¹⁰, so that sums with integers are exact and the detector's results must be identical.
 */
function toReturns(family: Family, seed: string, shift: number): Point[] {
  return generateRun(family, seed).points.map(({ iteration, values }) => {
    const { "rollout/successRate": success = NaN, ...rest } = values;
    const at = (reward: number) => Math.round(1024 * reward) / 1024 + shift;
    return {
      iteration,
      values: {
        ...rest,
        "rollout/returnMean": at(values["rollout/returnMean"] ?? NaN),
        ...(iteration % 5 === 0 && { "evaluation/returnMean": at(3 * success) }),
      },
    };
  });
}

const told = (points: readonly Point[]) => {
  const { readings, events } = replay(detector, points);
  return {
    readings,
    events: events.map(({ iteration, kind, severity }) => [iteration, kind, severity]),
    // The fall is left out, because it is in units of the reward and therefore shifted.
    hindsight: JSON.stringify(lookBack(points, { effective, hasDiverged: false }), (key, value: unknown) =>
      key === "fall" ? undefined : value,
    ),
  };
};

describe("a constant added to a reward", () => {
  it.each(["C_isBlow", "C_nan", "C_transient", "C_silent", "H_dip", "H_solved"] as const)(
    "changes no status, event, label or judgement of %s",
    (family) => {
      const unshifted = told(toReturns(family, "zero", 0));
      for (const shift of [-64, 1000]) expect(told(toReturns(family, "zero", shift))).toEqual(unshifted);
    },
  );
});

describe("returns alone", () => {
  const of = (family: Family) =>
    Array.from({ length: 5 }, (_, seed) => labelPoints(toReturns(family, `test ${seed}`, -20), effective));

  it.each(["C_isBlow", "C_echo", "C_length", "C_silent"] as const)("show the collapses of %s", (family) =>
    expect(of(family).filter(isCollapse).length).toBeGreaterThanOrEqual(4),
  );

  it.each(["H_grpo", "H_spiky", "H_lowEntropy", "H_solved", "H_length"] as const)("show none of %s", (family) =>
    expect(of(family).filter(isCollapse)).toEqual([]),
  );
});
