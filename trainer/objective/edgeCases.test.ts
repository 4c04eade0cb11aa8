import { describe, expect, it } from "vitest";
import type { Advantage, Aggregation, Clipping } from "#trainer/spec/dimensions.ts";
import { methodNames, methodOf, methods, type Method, type MethodName } from "#trainer/spec/method.ts";
import { summarise, tallyPolicy } from "./diagnostics.ts";
import { keptRows } from "./sequenceMask.ts";
import { evaluateLoss, type LossBatch, type LossValues } from "./testing/evaluateLoss.ts";
import { makeRow } from "./testing/makeRow.ts";
import { perToken } from "./testing/perToken.ts";
import { rowAdvantages } from "./testing/rowAdvantages.ts";

/** Edge cases of every clipping kind. Losses are computed both by ONNX Runtime and by the reference evaluator. */

/** The first named method of each clipping kind. */
const kinds = [
  ...new Map(methodNames.toReversed().map((name): [string, MethodName] => [methods[name].clipping.kind, name])),
].toReversed();
const coefs = { klCoef: 0.1, entropyCoef: 0.01 };

async function bothEngines(method: Method, batch: LossBatch, penalties = coefs): Promise<LossValues[]> {
  const { compiled, interpreted } = await evaluateLoss(method, batch, penalties);
  return [compiled, interpreted];
}

const twoRows: LossBatch = {
  shape: [2, 2],
  logProbs: [-1, -2, -0.5, -1.5],
  oldLogProbs: [-1.1, -1.9, -0.4, -1.6],
  referenceLogProbs: [-1, -1, -1, -1],
  entropy: [1, 2, 3, 4],
  advantages: perToken([1, -1], [2, 2]),
  mask: [1, 1, 1, 1],
};

describe("empty row", () => {
  const withEmptyRow: LossBatch = {
    shape: [3, 2],
    logProbs: [-1, -2, NaN, Infinity, -0.5, -1.5],
    oldLogProbs: [-1.1, -1.9, Infinity, NaN, -0.4, -1.6],
    referenceLogProbs: [-1, -1, NaN, NaN, -1, -1],
    entropy: [1, 2, NaN, NaN, 3, 4],
    advantages: perToken([1, 5, -1], [3, 2]),
    mask: [1, 1, 0, 0, 1, 1],
  };
  const aggregations: readonly Aggregation[] = [
    "tokenMean",
    "seqMeanTokenMean",
    "seqMeanTokenSum",
    "seqMeanTokenSumNorm",
    "tokenSum",
  ];

  it.each(kinds)("%s: loss and gradient are those without it", async (_, name) => {
    const [whole, part] = [await bothEngines(methodOf(name), withEmptyRow), await bothEngines(methodOf(name), twoRows)];
    for (const [i, { total, gradient }] of whole.entries()) {
      expect(total).toBeCloseTo(part[i]?.total ?? NaN, 6);
      expect(gradient.slice(2, 4).map(Math.abs)).toEqual([0, 0]);
      const own = gradient.filter((_, at) => withEmptyRow.mask[at]);
      expect(own).toEqual(part[i]?.gradient.map((x) => expect.closeTo(x, 6)));
    }
  });

  it.each(aggregations)("%s does not count it", async (aggregation) => {
    const method = { ...methodOf("grpo"), aggregation };
    const [whole, part] = [await bothEngines(method, withEmptyRow), await bothEngines(method, twoRows)];
    for (const [i, { total }] of whole.entries()) expect(total).toBeCloseTo(part[i]?.total ?? NaN, 6);
  });
});

describe("singleton group: mean 0 and standard deviation 1, so the advantage is the score", () => {
  it.each<[string, Advantage]>([
    ["GRPO", methods.grpo.advantage],
    ["Dr. GRPO", methods.drGrpo.advantage],
    ["GRPO over episodes", { ...methods.grpo.advantage, samples: "episodes" }],
    ["RLOO", methods.rloo.advantage],
  ])("%s", (_, advantage) => {
    const rows = [makeRow({ reward: 0.5, episodeReward: 0.5 })];
    expect(rowAdvantages(rows, advantage, 0.1)).toEqual([expect.closeTo(0.5, 5)]);
  });

  it("of a state (GiGPO): no step advantage", () => {
    const rows = [0, 1].map((episode) => makeRow({ episode, anchor: `s${episode}`, episodeReward: episode }));
    const own = rowAdvantages(rows, methods.gigpo.advantage, 0);
    expect(own).toEqual(rowAdvantages(rows, methods.grpo.advantage, 0));
  });
});

describe("constant group: standard deviation 0, so every advantage is 0", () => {
  const rows = [0, 1, 2].map((episode) => makeRow({ episode, reward: 0.7, episodeReward: 0.7 }));
  it.each<[string, Advantage]>([
    ["GRPO", methods.grpo.advantage],
    ["Dr. GRPO", methods.drGrpo.advantage],
    ["RLOO", methods.rloo.advantage],
    ["GiGPO", methods.gigpo.advantage],
    ["REINFORCE++ with baseline", methods.reinforcePlusPlusBaseline.advantage],
  ])("%s", (_, advantage) => {
    expect(rowAdvantages(rows, advantage, 0)).toEqual([0, 0, 0].map((x) => expect.closeTo(x, 9)));
  });
});

describe("A = 0", () => {
  // KL-Cov and DRO are left out, because their penalty on the distance applies to any advantage.
  it.each(kinds.filter(([kind]) => kind !== "klCov" && kind !== "quadraticLog"))(
    "%s: no loss and no gradient",
    async (_, name) => {
      const silent = { ...twoRows, advantages: [0, 0, 0, 0] };
      for (const { policy, gradient } of await bothEngines(methodOf(name), silent, { klCoef: 0, entropyCoef: 0 })) {
        expect([policy, ...gradient].map(Math.abs)).toEqual([0, 0, 0, 0, 0]);
      }
    },
  );

  it("SAPO uses the temperature of negative advantages", async () => {
    // The advantages of the row's tokens cancel, so its mean is 0. At ratio 1, the tokens' losses are −(4/τ)·½·A.
    const clipping: Clipping = { kind: "sapo", tauPositive: 1, tauNegative: 2, sequenceMask: null };
    const row: LossBatch = {
      shape: [1, 3],
      logProbs: [-1, -1, -1],
      oldLogProbs: [-1, -1, -2],
      advantages: [1, 1, -2],
      mask: [1, 1, 1],
    };
    const sigmoid = 1 / (1 + Math.exp(-2 * (Math.E - 1)));
    const expected = (-1 - 1 + 2 * 2 * sigmoid) / 3;
    for (const { policy } of await bothEngines({ ...methodOf("sapo"), clipping }, row)) {
      expect(policy).toBeCloseTo(expected, 6);
    }
  });

  it("sequence masking never drops", () => {
    const left = { ...twoRows, advantages: [0, 0, 1, -1], oldLogProbs: [0, 0, 0, 0] };
    expect(keptRows(left, 0)).toEqual([true, true]);
  });
});

describe("κ exactly δ", () => {
  const row = { ...twoRows, logProbs: [-1, -2, -1, -2], oldLogProbs: [-0.75, -1.75, -0.75, -1.75] };
  it("is kept; one part in a million more is dropped", () => {
    expect(keptRows(row, 0.25)).toEqual([true, true]);
    expect(keptRows(row, 0.25 - 1e-6)).toEqual([true, false]);
  });
});

describe("w overflow, |log-ratio| > 20", () => {
  it.each(kinds)("%s: loss and gradient are finite on both sides and for both signs", async (_, name) => {
    for (const logRatio of [21, 88, 1000, -21, -88, -1000]) {
      for (const sign of [1, -1]) {
        const far: LossBatch = {
          ...twoRows,
          logProbs: twoRows.logProbs,
          oldLogProbs: Array.from(twoRows.logProbs, (x) => x - logRatio),
          advantages: perToken([sign, -sign], [2, 2]),
        };
        for (const { total, gradient } of await bothEngines(methodOf(name), far)) {
          expect([total, ...gradient].every(Number.isFinite), `log-ratio ${logRatio}, sign ${sign}`).toBe(true);
        }
        const values = Object.values(summarise(tallyPolicy(methodOf(name).clipping, far)));
        expect(values.every(Number.isFinite)).toBe(true);
      }
    }
  });
});

describe("all rows masked", () => {
  const masked = { ...twoRows, mask: [0, 0, 0, 0] };
  it.each(kinds)("%s: loss 0, not NaN, and no diagnostics", async (_, name) => {
    for (const { total, policy, kl, entropy, gradient } of await bothEngines(methodOf(name), masked)) {
      expect([total, policy, kl, entropy, ...gradient].map(Math.abs)).toEqual(Array(8).fill(0));
    }
    expect(summarise(tallyPolicy(methodOf(name).clipping, masked))).toEqual({});
  });

  it("by sequence masking: the policy's part is 0, the penalties stay", async () => {
    const failed = { ...twoRows, advantages: [-1, -1, -1, -1], oldLogProbs: [0, 0, 0, 0] };
    const { compiled, interpreted, kept } = await evaluateLoss(methodOf("grpoSm"), failed, coefs);
    expect(kept).toEqual([false, false]);
    for (const { policy, kl, entropy } of [compiled, interpreted]) {
      expect(Math.abs(policy)).toBe(0);
      expect(kl).toBeGreaterThan(0);
      expect(entropy).toBeGreaterThan(0);
    }
  });
});

describe("dual clip at w > 3 with A < 0", () => {
  const at = (ratio: number, advantage: number): LossBatch => ({
    shape: [1, 1],
    logProbs: [Math.log(ratio)],
    oldLogProbs: [0],
    advantages: [advantage],
    mask: [1],
  });
  const plain = { klCoef: 0, entropyCoef: 0 };

  // ASPO is left out, because it keeps its gradient beyond the dual-clip bound.
  it.each(kinds.filter(([kind, name]) => "dual" in methods[name].clipping && kind !== "aspo"))(
    "%s: the loss is −3A without gradient",
    async (_, name) => {
      for (const { total, gradient } of await bothEngines(methodOf(name), at(3.5, -2), plain)) {
        expect(total).toBeCloseTo(6, 5);
        expect(Math.abs(gradient[0] ?? NaN)).toBe(0);
      }
      const { clipping } = methodOf(name);
      expect(summarise(tallyPolicy(clipping, at(3.5, -2)))["policy/clipFractionDual"]).toBe(1);
      expect(summarise(tallyPolicy(clipping, at(2.5, -2)))["policy/clipFractionDual"]).toBe(0);
    },
  );

  it("below it, and for A > 0, nothing changes", async () => {
    for (const { total, gradient } of await bothEngines(methodOf("grpo"), at(2.5, -2), plain)) {
      expect([total, gradient[0]]).toEqual([expect.closeTo(5, 5), expect.closeTo(5, 5)]);
    }
    for (const { total } of await bothEngines(methodOf("grpo"), at(3.5, 2), plain)) expect(total).toBeCloseTo(-2.4, 5);
  });
});
