import { describe, expect, it } from "vitest";
import { Correction } from "#trainer/spec/correctionSchema.ts";
import { split } from "#trainer/spec/rng.ts";
import { correct, type SampledBatch } from "./correction.ts";
import { lossConstants } from "./lossConstants.ts";
import { methodOf } from "#trainer/spec/method.ts";

const weights = ["token", "row", "geometric"].flatMap((level) =>
  [false, true].flatMap((normalise) => [
    { kind: "clip", level, low: 0.5, high: 2, normalise },
    { kind: "zero", level, low: 0.5, high: 2, normalise },
    { kind: "raw", level, normalise },
  ]),
);
const rejections = [
  { kind: "token", statistic: "ratio", low: 0.5, high: 2 },
  { kind: "token", statistic: "k2", high: 0.1 },
  { kind: "row", statistic: "ratio", reduce: "sum", low: 0.5, high: 2 },
  { kind: "row", statistic: "ratio", reduce: "mean", low: 0.999, high: 1.001 },
  { kind: "row", statistic: "k3", reduce: "mean", high: 0.01 },
  { kind: "row", statistic: "k2", reduce: "max", high: 0.05 },
  { kind: "veto", low: 0.1 },
  { kind: "secondMoment", threshold: 0.04 },
  { kind: "drift", delta: 0.05, anchor: "sampler" },
];
const proximals = ["recomputed", "sampler", "interpolated"];
const corrections = [
  ...weights.flatMap((weight) => proximals.map((proximal) => ({ proximal, weight }))),
  ...rejections.flatMap((reject) => proximals.map((proximal) => ({ proximal, reject: [reject] }))),
  { step: { kind: "ess" } },
].map((correction) => [JSON.stringify(correction), Correction.parse(correction)] as const);

/** Mask of rows with two, one and no response tokens, padded to three. */
const mask = Uint8Array.of(1, 1, 0, 1, 0, 0, 0, 0, 0);
const tokens = [0, 1, 3];
const spread = (values: readonly number[]): number[] => {
  const all = Array.from({ length: mask.length }, () => NaN);
  for (const [i, at] of tokens.entries()) all[at] = values[i] ?? NaN;
  return all;
};
const batchOf = (x: readonly number[]): SampledBatch => ({
  shape: [3, 3],
  mask,
  logProbs: spread([-1, -1, -2]),
  oldLogProbs: spread([-1, -1, -2]),
  samplerLogProbs: spread([-1, -1, -2].map((old, i) => old - (x[i] ?? 0))),
  advantages: spread([1, 1, -1]),
  ages: [3, 3, 3],
});
const on = (values: ArrayLike<number>): number[] => tokens.map((at) => values[at] ?? NaN);

describe("a correction", () => {
  it.each(corrections)("%s is the identity where the sampler is the same policy", (_, correction) => {
    const batch = batchOf([0, 0, 0]);
    const { weights: omega, kept, stepScale, numTruncated, proximalLogProbs } = correct(correction, batch);
    expect([...omega]).toEqual([...mask]);
    expect([...kept]).toEqual([...mask]);
    expect([stepScale, numTruncated]).toEqual([1, 0]);
    expect(on(proximalLogProbs)).toEqual(on(batch.oldLogProbs));
    const method = { ...methodOf("grpo"), correction };
    const update = { truncatedImportance: null, denominatorRows: null };
    const constants = (given: typeof method | ReturnType<typeof methodOf>) =>
      lossConstants({ method: given, update, maxResponseTokens: 3 }, { ...batch, mask, entropies: [] }, split(0))
        .policyWeights;
    expect(constants(method)).toEqual(constants(methodOf("grpo")));
  });

  it.each(corrections)("%s is finite however far the policies are apart", (_, correction) => {
    for (const x of [
      [900, -900, 900],
      [-900, -900, -900],
      [25, 25, -25],
    ]) {
      const { weights: omega, stepScale, kept } = correct(correction, batchOf(x));
      expect([...omega, stepScale].every(Number.isFinite)).toBe(true);
      expect([...kept].every((m) => m === 0 || m === 1)).toBe(true);
    }
  });

  it("weights of ratios beyond e²⁰ are e²⁰", () => {
    const raw = Correction.parse({ weight: { kind: "raw" } });
    expect(on(correct(raw, batchOf([25, -25, 0])).weights)).toEqual([Math.exp(20), Math.exp(-20), 1]);
  });

  it("a ratio on a bound is kept, and cut by neither", () => {
    const [low, high] = [Math.exp(-0.5), Math.exp(0.5)];
    const correction = Correction.parse({
      weight: { kind: "zero", low, high },
      reject: [
        { kind: "token", low, high },
        { kind: "veto", low, high },
      ],
    });
    const { weights: omega, kept, numTruncated } = correct(correction, batchOf([0.5, -0.5, 0.5]));
    expect(on(omega)).toEqual([high, low, high]);
    expect([on(kept), numTruncated]).toEqual([[1, 1, 1], 0]);
  });

  it("a loss of which everything is rejected is 0, and not NaN, whatever is averaged over", () => {
    for (const denominator of ["kept", "all"] as const) {
      for (const aggregation of ["tokenMean", "seqMeanTokenMean", "seqMeanTokenSum", "tokenSum"] as const) {
        const correction = Correction.parse({ denominator, reject: [{ kind: "token", low: 3 }] });
        const method = { ...methodOf("grpo"), aggregation, correction };
        const update = { truncatedImportance: null, denominatorRows: null };
        const batch = { ...batchOf([0.1, 0.1, 0.1]), mask, entropies: [] };
        const constants = lossConstants({ method, update, maxResponseTokens: 3 }, batch, split(0));
        expect([...constants.policyWeights]).toEqual(Array.from(mask, () => 0));
        expect(constants.kept).toEqual([false, false, true]);
        expect(constants.penaltyWeights.some((w) => w > 0)).toBe(true);
      }
    }
  });

  it("weights that are all 0 are not divided by their mean", () => {
    const correction = Correction.parse({ weight: { kind: "zero", low: 5, high: 6, normalise: true } });
    expect(on(correct(correction, batchOf([0.1, 0.2, 0.3])).weights)).toEqual([0, 0, 0]);
  });

  it("one token outside drops its row, by a veto and by nothing but its row", () => {
    const veto = Correction.parse({ reject: [{ kind: "veto", low: 0.5 }] });
    expect(on(correct(veto, batchOf([-1, 0, 0])).kept)).toEqual([0, 0, 1]);
  });

  it("second moments drop the largest, as few as needed, of equals the first, and never the last token", () => {
    const reject = (threshold: number) => Correction.parse({ reject: [{ kind: "secondMoment", threshold }] });
    expect(on(correct(reject(0.04), batchOf([0.1, 1, 0.1])).kept)).toEqual([1, 0, 1]);
    expect(on(correct(reject(0.04), batchOf([1, 1, 0.1])).kept)).toEqual([0, 0, 1]);
    expect(on(correct(reject(0.04), batchOf([1, 1, 1])).kept)).toEqual([0, 0, 1]);
    expect(on(correct(reject(0.6), batchOf([1, 1, 0])).kept)).toEqual([0, 1, 1]);
  });

  it("an interpolated proximal policy moves with age from the sampler towards the current policy", () => {
    const correction = Correction.parse({ proximal: "interpolated" });
    const batch = { ...batchOf([0, 0, 0]), logProbs: spread([-2, -2, -3]) };
    const first = (age: number): number =>
      correct(correction, { ...batch, ages: [age, age, age] }).proximalLogProbs[0] ?? NaN;
    expect([0, 1, 2, 4].map(first)).toEqual([-1, -1, -1.5, -1.75]);
  });
});
