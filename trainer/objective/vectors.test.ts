import { describe, expect, it } from "vitest";
import { gradients } from "#trainer/graph/backward.ts";
import { interpret } from "#trainer/graph/testing/interpret.ts";
import { constant, input, mul, sum } from "#trainer/graph/ops.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import type { Advantage } from "#trainer/spec/dimensions.ts";
import { methods } from "#trainer/spec/method.ts";
import { policyLoss } from "./clipping.ts";
import { summarise, tallyPolicy } from "./diagnostics.ts";
import { gradientScale, unitEntropies } from "./advantage.ts";
import { gae } from "./gae.ts";
import { discountedReturns } from "./gigpo.ts";
import { k1, k2, k3, k3Loss } from "./kl.ts";
import type { Row } from "./row.ts";
import type { TokenBatch } from "./sequenceMask.ts";
import { evaluateLoss } from "./testing/evaluateLoss.ts";
import { perToken } from "./testing/perToken.ts";
import { rowAdvantages } from "./testing/rowAdvantages.ts";
import { methodOfCase, readVectors, type Vectors } from "./testing/vectors.ts";

const vectors = readVectors();
type Case = Vectors["cases"][number];
const tolerance = 1e-5;

it("has 13 golden losses and 11 rows of golden advantages", () => {
  expect(vectors.cases).toHaveLength(13);
  expect(vectors.advantages.uid).toHaveLength(11);
});

const batch = batchOf(vectors.inputs);

describe("losses equal the golden vectors", () => {
  it.each(vectors.cases)("$name", async (golden) => {
    const method = methodOfCase(golden);
    // The paper's Eq. S5 of seq-mean-token-sum-norm has a factor 1/B, as does this implementation. The released code
    // omits it.
    const options = { klCoef: 0, entropyCoef: 0, normaliserTokens: batch.shape[1], ...withoutRowMean(golden) };
    const { compiled, interpreted, kept } = await evaluateLoss(method, batch, options);
    for (const { total, gradient } of [compiled, interpreted]) {
      expectClose([total], [golden.loss]);
      expectClose(gradient, golden.grad.flat());
    }
    expect(kept.flatMap((isKept, row) => (isKept ? [] : [row]))).toEqual(golden.dropped_rows ?? []);

    const summary = summarise(tallyPolicy(method.clipping, { ...batch, kept }));
    const { clipfrac, clipfrac_lower, ppo_kl, s } = golden.info;
    if (clipfrac !== undefined) expectClose([summary["policy/clipFraction"] ?? NaN], [clipfrac]);
    if (clipfrac_lower !== undefined) expectClose([summary["policy/clipFractionDual"] ?? NaN], [clipfrac_lower]);
    if (ppo_kl !== undefined) expectClose([summary["policy/klOld"] ?? NaN], [ppo_kl]);
    if (s) expectClose(sequenceRatios(batch), s);
  });
});

describe("advantages equal the golden vectors", () => {
  const golden = vectors.advantages;
  const rows = rowsOf(golden);
  const table: [string, Advantage, readonly number[]][] = [
    ["GRPO over turns", { kind: "group", scale: "groupStd", samples: "turns" }, golden.grpo_cross_steps],
    ["GRPO without std", { kind: "group", scale: "none", samples: "turns" }, golden.grpo_no_std],
    ["GRPO over episodes", { kind: "group", scale: "groupStd", samples: "episodes" }, golden.grpo_per_trajectory],
    ["RLOO", { kind: "rloo" }, golden.rloo_rows],
    ["GiGPO", gigpo("groupStd"), golden.gigpo_mean_std_norm],
    ["GiGPO without std", gigpo("none"), golden.gigpo_mean_norm],
    ["EMPG", { kind: "empg", scale: "groupStd", k: 1, kFuture: 1, zeta: 0.05 }, golden.empg_adv],
  ];
  it.each(table)("%s", (_, advantage, expected) => {
    expectClose(rowAdvantages(rows, advantage, golden.invalid_penalty), expected, 1e-6);
  });

  it("step returns and EMPG's gradient scale", () => {
    const returns = discountedReturns(rows, golden.gamma);
    const penalty = (row: Row): number => (row.isValid ? 0 : golden.invalid_penalty);
    expectClose(
      rows.map((row, i) => (returns[i] ?? NaN) - penalty(row)),
      golden.step_return,
    );
    expectClose(gradientScale(unitEntropies(rows), 1), golden.empg_g);
  });

  function gigpo(scale: "groupStd" | "none"): Advantage {
    return { kind: "gigpo", scale, stepWeight: golden.omega, gamma: golden.gamma, similarity: null };
  }
});

it.each([
  { gamma: 1, lambda: 1, key: "g1_l1" },
  { gamma: 0.99, lambda: 0.95, key: "g99_l95" },
] as const)("GAE with γ $gamma and λ $lambda equals the golden vectors", ({ key, ...discounts }) => {
  const golden = vectors.gae;
  const advantages = gae(golden.r, golden.V, discounts);
  for (const [t, x] of golden[key].entries()) expect(advantages[t]).toBeCloseTo(x, 6);
});

it("KL estimators equal the golden vectors", async () => {
  const { kl } = vectors;
  const reference = kl.ref.flat();
  const tokens = [...Array(batch.mask.length).keys()].filter((at) => batch.mask[at]);
  const meanOf = (estimate: typeof k1): number =>
    tokens.reduce((total, at) => total + estimate(batch.logProbs[at] ?? NaN, reference[at] ?? NaN), 0) / tokens.length;
  expectClose([meanOf(k1), meanOf(k2), meanOf(k3)], [kl.k1, kl.k2, kl.k3]);

  const summary = summarise(tallyPolicy(methods.grpo.clipping, { ...batch, referenceLogProbs: reference }));
  expectClose([summary["policy/klReference"] ?? NaN], [kl.k3]);

  const logProbs = input("logProbs", batch.shape);
  const mask = constant(batch.mask, batch.shape);
  const token = k3Loss({ logProbs, referenceLogProbs: constant(reference, batch.shape), mask });
  const value = mul(sum(mul(token, mask)), 1 / tokens.length);
  const [gradient] = gradients(value, [logProbs]);
  if (!gradient) throw new Error("no gradient");
  const session = await makeSession({ value, gradient });
  const results = await session.run({ logProbs: Float32Array.from(batch.logProbs) });
  await session.close();
  expectClose(results.value, [kl.k3]);
  const analytic = (at: number): number =>
    batch.mask[at] ? (1 - Math.exp((reference[at] ?? NaN) - (batch.logProbs[at] ?? NaN))) / tokens.length : 0;
  expectClose(results.gradient, [...Array(batch.mask.length).keys()].map(analytic));
});

function batchOf(inputs: Vectors["inputs"]): TokenBatch & { logProbs: number[]; mask: number[] } {
  return {
    shape: [inputs.mask.length, inputs.mask[0]?.length ?? 0],
    logProbs: inputs.new.flat(),
    oldLogProbs: inputs.old.flat(),
    advantages: perToken(inputs.adv_seq, [inputs.mask.length, inputs.mask[0]?.length ?? 0]),
    mask: inputs.mask.flat(),
  };
}

function rowsOf(golden: Vectors["advantages"]): Row[] {
  const names = (all: readonly string[], i: number): number => all.indexOf(all[i] ?? "");
  return golden.uid.map((_, i) => {
    const isValid = golden.valid[i] === 1;
    return {
      group: names(golden.uid, i),
      episode: names(golden.traj, i),
      turn: i - names(golden.traj, i),
      anchor: golden.anchor_obs[i] ?? "",
      reward: golden.step_reward[i] ?? NaN,
      episodeReward: (golden.row_score[i] ?? NaN) + (isValid ? 0 : golden.invalid_penalty),
      isValid,
      numTokens: 4,
      entropy: golden.turn_entropy[i] ?? NaN,
    };
  });
}

function withoutRowMean({ agg }: Case): { numRows?: number } {
  return agg === "seq-mean-token-sum-norm" ? { numRows: 1 } : {};
}

/**
 * Sequence ratio s of every row, determined from the loss: with A = −1 and no active bound, the loss of a row's tokens
 * is s.
 */
function sequenceRatios(batch: TokenBatch): number[] {
  const [numRows, width] = batch.shape;
  const nodes = {
    logProbs: constant(batch.logProbs, batch.shape),
    oldLogProbs: constant(batch.oldLogProbs, batch.shape),
    mask: constant(batch.mask, batch.shape),
    signal: constant(batch.mask, batch.shape),
    advantages: constant(
      Array.from({ length: numRows }, () => -1),
      [numRows, 1],
    ),
  };
  const [losses] = interpret([policyLoss({ kind: "sequence", low: 1, high: 10, credit: "row" }, nodes)]);
  return Array.from({ length: numRows }, (_, row) => losses?.[row * width] ?? NaN);
}

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, within = tolerance): void {
  expect(actual.length).toBe(expected.length);
  for (const [i, x] of Array.from(expected).entries()) {
    expect(Math.abs((actual[i] ?? NaN) - x), `element ${i}: ${actual[i]} is not ${x}`).toBeLessThan(within);
  }
}
