import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import type { Curve } from "#packages/statistics";
import { findCollapse, type StabilityEvidence } from "./collapse.ts";
import { labelRule } from "./label.ts";

const curve = (values: readonly number[], every = 1): Curve => ({
  iterations: Int32Array.from(values, (_, i) => i * every),
  values: Float64Array.from(values),
});
const none = curve([]);
const quiet: StabilityEvidence = {
  rollouts: none,
  numGroups: 16,
  groupSize: 8,
  evaluations: none,
  numEvaluationEpisodes: 128,
  loss: none,
  gradientNorm: none,
  reason: "completed",
};
const find = (changes: Partial<StabilityEvidence>) => findCollapse({ ...quiet, ...changes });

/** Makes a list of `length` values from their indices. */
const series = (length: number, value: (i: number) => number): number[] => Array.from({ length }, (_, i) => value(i));

describe("findCollapse", () => {
  it("finds the iteration at which half of the best success is gone for good", () => {
    const rollouts = curve(series(40, (i) => (i < 20 ? 0.8 : 0.1)));
    expect(find({ rollouts })).toEqual({ kind: "success", iteration: 20 });
  });

  it("finds it in a run as short as a quick one", () => {
    const rollouts = curve([0.2, 0.3, 0.4, 0.5, 0.55, 0.5, 0.2, 0.1, 0.05, 0.05, 0, 0]);
    expect(find({ rollouts })?.kind).toBe("success");
  });

  it.each([
    ["a run that learns and stays", series(40, (i) => Math.min(0.8, 0.02 * i))],
    ["a run that never learns", series(40, () => 0.02)],
    ["a dip that heals within the hold", series(40, (i) => (i >= 20 && i < 20 + labelRule.short.hold - 1 ? 0.1 : 0.8))],
    ["a third of the peak lost", series(40, (i) => (i < 20 ? 0.6 : 0.4))],
    ["half of very little, which is noise", series(40, (i) => (i < 20 ? 0.03 : 0.01))],
    ["no success at all", series(40, () => 0)],
    ["nothing logged", []],
  ])("says nothing of %s", (_, values) => {
    expect(find({ rollouts: curve(values) })).toBeUndefined();
  });

  it("is not fooled by the noise of small batches: 200 flat runs, no alarm", () => {
    for (let seed = 0; seed < 200; seed++) {
      const rng = split("flat", seed);
      const value = () => series(128, () => Number(rng.next() < 0.4)).reduce((sum, x) => sum + x, 0) / 128;
      expect(find({ rollouts: curve(series(60, value)) })).toBeUndefined();
    }
  });

  it("judges held-out evaluations by their own number of episodes and cadence", () => {
    const evaluations = curve([0.1, 0.5, 0.6, 0.6, 0.1, 0.05, 0.05], 5);
    expect(find({ evaluations })).toEqual({ kind: "success", iteration: 20 });
    expect(find({ evaluations, numEvaluationEpisodes: 4 })).toBeUndefined();
  });

  it("counts ten iterations in a row without finite numbers, and no fewer", () => {
    const broken = (n: number) => curve(series(30, (i) => (i >= 12 && i < 12 + n ? NaN : 1)));
    expect(find({ gradientNorm: broken(10) })).toEqual({ kind: "nonFinite", iteration: 12 });
    expect(find({ loss: broken(9) })).toBeUndefined();
  });

  it("takes the trainer's word that a run diverged, at its last iteration", () => {
    const loss = curve(series(8, () => 0.1));
    expect(find({ loss, reason: "diverged" })).toEqual({ kind: "diverged", iteration: 7 });
  });

  it("ignores single missing values", () => {
    const rollouts = curve(series(40, (i) => (i % 7 === 3 ? NaN : 0.6)));
    expect(find({ rollouts })).toBeUndefined();
  });

  it("reports what happened first", () => {
    const rollouts = curve(series(40, (i) => (i < 10 ? 0.8 : 0)));
    const loss = curve(series(40, (i) => (i < 20 ? 0 : NaN)));
    expect(find({ rollouts, loss, reason: "diverged" })).toEqual({ kind: "success", iteration: 10 });
  });
});
