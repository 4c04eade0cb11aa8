import { describe, expect, it } from "vitest";
import { methodOf, type Method } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import { lossConstants, type LossConstantsBatch } from "./lossConstants.ts";
import { perToken } from "./testing/perToken.ts";

const plain = { truncatedImportance: null, denominatorRows: null };
/** Rows of two, one and two tokens. The second row failed, and its log-probability fell by 1 nat per token. */
const batch: LossConstantsBatch = {
  shape: [3, 2],
  mask: Uint8Array.of(1, 1, 1, 0, 1, 1),
  logProbs: [-1, -1, -2, 0, -1, -1],
  oldLogProbs: [-1, -1, -1, 0, -1, -1],
  samplerLogProbs: [-1, -2, -0.5, NaN, -1, -1 - Math.log(1.5)],
  advantages: perToken([1, -1, 1], [3, 2]),
  entropies: [0, 0, 0, 0, 0, 0],
};
const constantsOf = (method: Method, update: typeof plain | { truncatedImportance: number; denominatorRows: null }) =>
  lossConstants({ method, update, maxResponseTokens: 2 }, batch, split(0));
const close = (expected: readonly number[]) => expected.map((x) => expect.closeTo(x, 6));

describe("what a minibatch's loss holds constant", () => {
  it("sequence masking shrinks the policy's denominators and leaves the penalties'", () => {
    const { kept, policyWeights, penaltyWeights } = constantsOf(methodOf("grpoSm"), plain);
    expect(kept).toEqual([true, false, true]);
    expect([...policyWeights]).toEqual(close([1 / 4, 1 / 4, 0, 0, 1 / 4, 1 / 4]));
    expect([...penaltyWeights]).toEqual(close([1 / 5, 1 / 5, 1 / 5, 0, 1 / 5, 1 / 5]));
  });

  it("a ratio of the whole row is averaged per row whatever was asked for", () => {
    const { kept, policyWeights } = constantsOf({ ...methodOf("gspo"), aggregation: "tokenSum" }, plain);
    expect(kept).toBeUndefined();
    expect([...policyWeights]).toEqual(close([1 / 6, 1 / 6, 1 / 3, 0, 1 / 6, 1 / 6]));
  });

  it("truncated importance weighs the policy loss alone, and counts what it cut", () => {
    const { policyWeights, penaltyWeights, corrected } = constantsOf(
      { ...methodOf("grpo"), aggregation: "tokenSum" },
      { truncatedImportance: 2, denominatorRows: null },
    );
    expect([...policyWeights]).toEqual(close([1, 2, Math.exp(-0.5), 0, 1, 1.5]));
    expect([...penaltyWeights]).toEqual([1, 1, 1, 0, 1, 1]);
    expect(corrected?.numTruncated).toBe(1);
  });

  it("KL and entropy have an aggregation of their own, that of the references unless another is set", () => {
    const tokenMean = [1 / 5, 1 / 5, 1 / 5, 0, 1 / 5, 1 / 5];
    const perRow = [1 / 6, 1 / 6, 1 / 3, 0, 1 / 6, 1 / 6];
    for (const name of ["gspo", "gmpo", "sampo"] as const) {
      const method = methodOf(name);
      const { policyWeights, penaltyWeights } = constantsOf(method, plain);
      expect([[...policyWeights], [...penaltyWeights]]).toEqual([close(perRow), close(tokenMean)]);
      // Older specifications lack the field `penaltyAggregation`.
      const { penaltyAggregation: _, ...before } = method;
      expect([...constantsOf(before, plain).penaltyWeights]).toEqual(close(perRow));
    }
    const drGrpo = constantsOf(methodOf("drGrpo"), plain);
    expect([...drGrpo.policyWeights]).toEqual(close([1, 1, 1, 0, 1, 1].map((x) => x / 6)));
    expect([...drGrpo.penaltyWeights]).toEqual(close([1, 1, 1, 0, 1, 1].map((x) => x / 3)));
    const other = constantsOf({ ...methodOf("grpo"), penaltyAggregation: "seqMeanTokenMean" }, plain);
    expect([[...other.policyWeights], [...other.penaltyWeights]]).toEqual([close(tokenMean), close(perRow)]);
  });

  it("truncated importance of a row's geometric mean is the geometric mean of its tokens' weights", () => {
    const { policyWeights, corrected } = constantsOf(methodOf("gmpo"), {
      truncatedImportance: 2,
      denominatorRows: null,
    });
    const [first, second, third] = [Math.sqrt(1 * 2), Math.exp(-0.5), Math.sqrt(1 * 1.5)];
    expect([...policyWeights]).toEqual(close([first / 6, first / 6, second / 3, 0, third / 6, third / 6]));
    expect(corrected?.numTruncated).toBe(1);
  });

  it("a scale multiplies the policy loss alone", () => {
    const spec = { method: methodOf("grpo"), update: plain, maxResponseTokens: 2, lossScale: 0.5 };
    const { policyWeights, penaltyWeights } = lossConstants(spec, batch, split(0));
    expect([...policyWeights]).toEqual(close([0.1, 0.1, 0.1, 0, 0.1, 0.1]));
    expect([...penaltyWeights]).toEqual(close([0.2, 0.2, 0.2, 0, 0.2, 0.2]));
  });
});
