import { describe, expect, it } from "vitest";
import { reportObjective, type ObjectiveBatch } from "#trainer/run/learning/objectiveReport.ts";
import { methods, type Method } from "#trainer/spec/method.ts";
import type { MetricKey } from "#trainer/spec/metric.ts";
import type { Advantage } from "#trainer/spec/dimensions.ts";
import { tokenAdvantages } from "./advantage.ts";
import { compareContexts } from "./hgpo.ts";
import { evaluateLoss } from "./testing/evaluateLoss.ts";
import { makeRow } from "./testing/makeRow.ts";
import { perToken } from "./testing/perToken.ts";
import { rowAdvantages } from "./testing/rowAdvantages.ts";
import { readVectors } from "./testing/vectors.ts";
import { readOffPolicyVectors, type OffPolicyVectors } from "./testing/offPolicyVectors.ts";

const vectors = readOffPolicyVectors();
type Case = OffPolicyVectors["cases"][number];

it("has 81 golden losses", () => expect(vectors.cases).toHaveLength(81));

describe("losses, gradients, weights and masks through ONNX Runtime equal the golden vectors", () => {
  it.each(vectors.cases.filter(({ clipping }) => !isWide(clipping)))("$name", async (golden) => {
    const { loss, gradient, correction } = await reportObjective(batchOf(golden));
    expectClose([loss.total], [golden.loss]);
    expectClose(gradient.flat(), golden.grad.flat());
    const { weights, kept, rejected_tokens } = golden.info;
    if (weights) expectClose(correction?.weights.flat() ?? [], weights.flat());
    if (kept) expect(correction?.kept).toEqual(kept);
    expect(rejected_tokens === undefined || correction !== undefined).toBe(true);
  });
});

it.each(vectors.cases.filter(({ clipping }) => isWide(clipping)))(
  "$name, its uncertain tokens as given",
  async (golden) => {
    const { method, shape, mask, logProbs, oldLogProbs, credit } = batchOf(golden);
    if (credit.kind !== "advantages") throw new Error("no advantages");
    const batch = { shape, mask, logProbs, oldLogProbs, advantages: credit.advantages };
    const signal = vectors.inputs[golden.batch].high_entropy.flat();
    const { compiled, interpreted } = await evaluateLoss(method, { ...batch, signal }, { klCoef: 0, entropyCoef: 0 });
    for (const { total, gradient } of [compiled, interpreted]) {
      expectClose([total], [golden.loss]);
      expectClose(gradient, golden.grad.flat());
    }
  },
);

it.each(["a", "c"] as const)("VCPO's scale of the step on batch %s", async (batch) => {
  const step = { kind: "ess", rule: "sqrt", base: 1, cap: null } as const;
  const correction = { proximal: "recomputed", weight: null, reject: [], denominator: "kept", step } as const;
  const [golden] = vectors.cases.filter((one) => one.batch === batch);
  if (!golden) throw new Error(`no case on batch ${batch}`);
  const report = await reportObjective(batchOf({ ...golden, correction: { ...correction, reject: [] } }));
  expectClose([report.correction?.stepScale ?? NaN], [vectors.diagnostics[batch]["vcpo_lr_scale_sqrt"] ?? NaN]);
});

it.each(["a", "c"] as const)("the unbiased k3 on batch %s, its gradient through the ratio included", async (batch) => {
  const [golden] = vectors.cases.filter((one) => one.batch === batch && one.agg === "token-mean");
  if (!golden) throw new Error(`no case on batch ${batch}`);
  const { correction: _, ...plain } = batchOf(golden).method;
  const flat = Float64Array.from(vectors.inputs[batch].ref.flat());
  const silent = { kind: "advantages", advantages: new Float64Array(flat.length) } as const;
  const { loss, gradient } = await reportObjective({
    ...batchOf(golden),
    method: { ...plain, clipping: methods.grpo.clipping },
    update: { ...batchOf(golden).update, klCoef: 1, klEstimator: "k3w" },
    referenceLogProbs: flat,
    credit: silent,
  });
  expectClose([loss.kl], [vectors.kl[batch].w_k3]);
  expectClose(gradient.flat(), vectors.kl[batch].grad.flat());
});

it.each(["a", "c"] as const)("the mismatch of batch %s, as arlarena objective prints it", async (batch) => {
  const [golden] = vectors.cases.filter((one) => one.batch === batch);
  if (!golden) throw new Error(`no case on batch ${batch}`);
  const { diagnostics } = await reportObjective(batchOf(golden));
  const measured = Object.entries(measures);
  expectClose(
    measured.map(([, key]) => diagnostics[key] ?? NaN),
    measured.map(([name]) => vectors.diagnostics[batch][name] ?? NaN),
  );
});

describe("advantages equal the golden vectors", () => {
  const golden = vectors.advantages;
  const rows = golden.uid.map((uid, i) =>
    makeRow({
      group: golden.uid.indexOf(uid),
      episode: i,
      reward: golden.score[i] ?? NaN,
      episodeReward: golden.score[i] ?? NaN,
      numTokens: golden.length[i] ?? NaN,
      greedyScore: golden.greedy_score[i] ?? NaN,
      gradientNorm: golden.opob_grad_norm[i] ?? NaN,
      samplerRatio: golden.opob_row_weight[i] ?? NaN,
    }),
  );
  it.each<[string, Advantage, readonly number[]]>([
    ["OPO", { kind: "opo" }, golden.opo],
    ["ReMax", { kind: "remax" }, golden.remax],
    ["pass@k by std", { kind: "passK", scale: "groupStd" }, golden.passk_std],
    ["pass@k", { kind: "passK", scale: "none" }, golden.passk],
    ["GPG", { kind: "gpg" }, golden.gpg],
    ["MaxRL", { kind: "maxRl" }, golden.maxrl],
    ["OPOB", { kind: "opob", scale: "none" }, golden.opob],
  ])("%s", (_, advantage, expected) => expectClose(rowAdvantages(rows, advantage, 0), expected));

  it("OPOB divides by the population's spread, and a group of one row learns nothing", () => {
    const scaled = rowAdvantages(rows, { kind: "opob", scale: "groupStd" }, 0);
    // The scores 1, 0, .4 have mean 7/15 and variance σ² = (1 + .16)/3 − (7/15)².
    const sigma = Math.sqrt(1.16 / 3 - (7 / 15) ** 2);
    expectClose(
      scaled.slice(0, 3),
      golden.opob.slice(0, 3).map((x) => x / sigma),
    );
    expect(scaled[6]).toBe(0);
  });

  it("OPOB counts a transcript once, however many turns it has", () => {
    const of = (episode: number, reward: number, gradientNorm: number) => ({
      group: 0,
      episode,
      numTokens: 1,
      episodeReward: reward,
      gradientNorm,
      samplerRatio: 1,
    });
    const turns = [
      makeRow({ ...of(0, 1, 2), turn: 0, reward: 0 }),
      makeRow({ ...of(0, 1, 2), turn: 1, reward: 0 }),
      makeRow({ ...of(0, 1, 2), turn: 2, reward: 1 }),
      makeRow({ ...of(1, 0, 1), turn: 0, reward: 0 }),
    ];
    const penalties = { invalidActionPenalty: 0, overlongPenalty: 0, overlongBuffer: 0.2, maxResponseTokens: 16 };
    const advantage = { kind: "opob", scale: "none" } as const;
    const { advantages } = tokenAdvantages({ rows: turns, advantage, penalties, shape: "transcript" });
    // The baseline weights each row's score by its squared gradient norm: b = (4·1 + 1·0)/5.
    expectClose(
      advantages.map(([first]) => first ?? NaN),
      [0.2, 0.2, 0.2, -0.8],
    );
  });

  it("OPOB names the row that lacks what it reads", () => {
    const lacking = rows.map(({ gradientNorm: _norm, ...row }) => row);
    expect(() => rowAdvantages(lacking, { kind: "opob", scale: "none" }, 0)).toThrow(
      "advantages of kind opob need a gradient's norm: row 0 has none",
    );
  });

  it.each([
    ["K0_std", { history: 0, alpha: 1, scale: "groupStd" }],
    ["K1_std", { history: 1, alpha: 1, scale: "groupStd" }],
    ["K2_std", { history: 2, alpha: 1, scale: "groupStd" }],
    ["K2_mean", { history: 2, alpha: 1, scale: "none" }],
    ["K2_std_alpha0", { history: 2, alpha: 0, scale: "groupStd" }],
  ] as const)("HGPO %s", (key, options) => {
    const deep = golden.hgpo_deep;
    const turns = deep.traj.map((episode, i) =>
      makeRow({ group: 0, episode, turn: i - deep.traj.indexOf(episode), anchor: deep.anchor_obs[i] ?? "" }),
    );
    expectClose(compareContexts(turns, Float64Array.from(deep.step_return), options), deep[key]);
  });
});

/** Names of the measures in the golden vectors. In both implementations, measures over rows skip empty rows. */
const measures = {
  mismatch_k1: "policy/samplerKl",
  mismatch_k3: "mismatch/k3",
  abs_mean: "policy/samplerMismatch",
  abs_max: "mismatch/absMax",
  prob_abs_mean: "policy/samplerProbabilityGap",
  prob_abs_max: "mismatch/probMax",
  ratio_min: "mismatch/ratioMin",
  ratio_max: "mismatch/ratioMax",
  row_ratio_min: "mismatch/rowRatioMin",
  row_ratio_max: "mismatch/rowRatioMax",
  geo_ratio_min: "mismatch/geoRatioMin",
  geo_ratio_max: "mismatch/geoRatioMax",
  chi2_token: "policy/samplerChiSquared",
  chi2_row: "mismatch/chi2Row",
  ess_token: "policy/samplerEffectiveSampleFraction",
  ess_row: "mismatch/essRow",
  log_ppl_gap: "mismatch/logPplGap",
  log_ppl_gap_abs: "mismatch/logPplGapAbs",
  mult_prob_error: "mismatch/multError",
  js: "mismatch/js",
} as const satisfies Record<string, MetricKey>;

it("HGPO with the episode's advantage equals the golden vector", () => {
  const golden = readVectors().advantages;
  const rows = golden.uid.map((uid, i) =>
    makeRow({
      group: golden.uid.indexOf(uid),
      episode: golden.traj.indexOf(golden.traj[i] ?? ""),
      turn: i - golden.traj.indexOf(golden.traj[i] ?? ""),
      anchor: golden.anchor_obs[i] ?? "",
      reward: golden.step_reward[i] ?? NaN,
      episodeReward: golden.traj.reduce(
        (sum, episode, j) => sum + (episode === golden.traj[i] ? (golden.step_reward[j] ?? 0) : 0),
        0,
      ),
      isValid: golden.valid[i] === 1,
    }),
  );
  const advantage = { kind: "hgpo", scale: "none", gamma: golden.gamma, history: 2, alpha: 1 } as const;
  const { hgpo } = vectors.advantages;
  expectClose(rowAdvantages(rows, advantage, golden.invalid_penalty), hgpo.K2_mean);
  expectClose(rowAdvantages(rows, { ...advantage, base: true }, golden.invalid_penalty), hgpo.K2_mean_base);
});

function isWide(clipping: Method["clipping"]): boolean {
  return clipping.kind === "aspo" && clipping.lowWide !== undefined;
}

const aggregations = {
  "token-mean": "tokenMean",
  "seq-mean-token-mean": "seqMeanTokenMean",
  "seq-mean-token-sum": "seqMeanTokenSum",
} as const;

function batchOf({ name, batch, agg, clipping, correction }: Case): ObjectiveBatch {
  const inputs = vectors.inputs[batch];
  const shape = [inputs.mask.length, inputs.mask[0]?.length ?? 0] as const;
  const flat = (matrix: readonly (readonly number[])[]): Float64Array => Float64Array.from(matrix.flat());
  const method: Method = {
    ...methods.grpo,
    aggregation: aggregations[agg],
    clipping,
    ...(correction && { correction }),
  };
  const advantages = name.startsWith("turn ratio")
    ? flat(inputs.adv_tok)
    : Float64Array.from(perToken(inputs.adv_seq, shape));
  return {
    method,
    update: {
      klCoef: 0,
      klEstimator: "k3",
      klPlacement: "loss",
      entropyCoef: 0,
      truncatedImportance: null,
      denominatorRows: null,
    },
    maxResponseTokens: shape[1],
    seed: 0,
    shape,
    mask: Uint8Array.from(inputs.mask.flat()),
    logProbs: flat(inputs.new),
    oldLogProbs: flat(inputs.old),
    samplerLogProbs: flat(inputs.sampler),
    turns: inputs.turn.flat(),
    credit: { kind: "advantages", advantages },
  };
}

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(actual.length).toBe(expected.length);
  for (const [i, x] of Array.from(expected).entries()) {
    expect(Math.abs((actual[i] ?? NaN) - x), `element ${i}: ${actual[i]} is not ${x}`).toBeLessThan(1e-5);
  }
}
