import { describe, expect, it } from "vitest";
import { readVectors } from "#trainer/objective/testing/vectors.ts";
import { makeRow } from "#trainer/objective/testing/makeRow.ts";
import { klEstimate } from "#trainer/objective/kl.ts";
import { methodNames, methodOf, type Method } from "#trainer/spec/method.ts";
import { RewardSpec } from "#trainer/spec/run.ts";
import { reportObjective, type ObjectiveBatch } from "./objectiveReport.ts";

const update = {
  klCoef: 0,
  klEstimator: "k3",
  klPlacement: "loss",
  entropyCoef: 0,
  truncatedImportance: null,
  denominatorRows: null,
} as const;

const small: ObjectiveBatch = {
  method: methodOf("grpo"),
  update,
  maxResponseTokens: 2,
  seed: 0,
  shape: [2, 2],
  mask: Uint8Array.of(1, 1, 1, 0),
  logProbs: Float64Array.of(-1, -2, -0.5, 0),
  oldLogProbs: Float64Array.of(-1.1, -1.9, -0.4, 0),
  credit: { kind: "advantages", advantages: Float64Array.of(1, 1, -1, 7) },
};
const reward = RewardSpec.parse({});
const close = (expected: readonly number[], digits = 6) => expected.map((x) => expect.closeTo(x, digits));

describe("every named method", () => {
  const batch: ObjectiveBatch = {
    ...small,
    update: { ...update, klCoef: 0.1, entropyCoef: 0.01 },
    referenceLogProbs: Float64Array.of(-1, -1, -1, 0),
    oldEntropies: Float64Array.of(1, 2, 3, 0),
    newEntropies: Float64Array.of(1, 2, 3, 0),
  };

  it.each(methodNames)("%s: loss parts add up, padding has no gradient, ratios are counted", async (name) => {
    const method = methodOf(name);
    const report = await reportObjective({ ...batch, method });
    const { total, policy, kl, entropy } = report.loss;
    expect(total).toBeCloseTo(policy + kl - entropy, 6);
    expect(report.gradient.flat().every(Number.isFinite)).toBe(true);
    expect(report.gradient[1]?.[1]).toBe(0);
    expect(report.keptRows !== undefined).toBe(name.endsWith("Sm") || (method.correction?.reject.length ?? 0) > 0);
    expect(report.diagnostics["policy/ratioMean"]).toBeCloseTo((Math.exp(0.1) + 2 * Math.exp(-0.1)) / 3, 9);
  });
});

it("AEPO weighs tokens by the entropies of the current policy, and no gradient flows through them", async () => {
  const method = methodOf("aepo");
  const entropies = { newEntropies: Float64Array.of(1, 2, 6, 0), oldEntropies: Float64Array.of(9, 1, 4, 0) };
  const { signal, penaltyAggregation } = await reportObjective({ ...small, ...entropies, method });
  // The entropies have mean 3 and standard deviation √7 (n − 1).
  expect(signal?.flat()).toEqual(close([-2 / Math.sqrt(7), -1 / Math.sqrt(7), 3 / Math.sqrt(7), 0]));
  expect(penaltyAggregation).toBe("tokenMean");
});

describe("rewards in place of advantages", () => {
  const rows = [
    makeRow({ reward: 1, episodeReward: 1, numTokens: 2 }),
    makeRow({ episode: 1, isValid: false, numTokens: 1 }),
  ];
  const withRows = (method: Method, own: Partial<ObjectiveBatch> = {}): ObjectiveBatch => ({
    ...small,
    method,
    credit: { kind: "rows", rows, reward },
    ...own,
  });

  it("become those of the method, on response tokens", async () => {
    const { advantages } = await reportObjective(withRows(methodOf("drGrpo")));
    expect(advantages.flat()).toEqual(close([0.55, 0.55, -0.55, 0]));
  });

  it("pay a KL in the reward, of the old policy, and the loss has no KL then", async () => {
    const referenceLogProbs = Float64Array.of(-2, -2, -1, 0);
    const kl = (at: number): number => klEstimate("k3", small.oldLogProbs[at] ?? NaN, referenceLogProbs[at] ?? NaN);
    const { advantages, loss } = await reportObjective(
      withRows(methodOf("drGrpo"), {
        referenceLogProbs,
        update: { ...update, klCoef: 0.5, klPlacement: "reward" },
      }),
    );
    const [first, second] = [1 - 0.5 * (kl(0) + kl(1)), -0.1 - 0.5 * kl(2)];
    const half = (first - second) / 2;
    expect(advantages.flat()).toEqual(close([half, half, -half, 0]));
    expect(loss.kl).toBe(0);
  });

  it("are credited token by token with a critic's values", async () => {
    const values = Float64Array.of(0.1, 0.2, 0.3, 9);
    const { advantages } = await reportObjective(
      withRows(methodOf("ppo"), { credit: { kind: "rows", rows, reward, values } }),
    );
    // For γ = λ = 1, the advantage is the score minus the value, whitened over the three tokens.
    const raw = [0.9, 0.8, -0.4];
    const mean = raw.reduce((sum, x) => sum + x, 0) / 3;
    const std = Math.sqrt(raw.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 2);
    expect(advantages.flat()).toEqual(close([...raw.map((x) => (x - mean) / std), 0], 5));
  });
});

it("an empty minibatch has loss 0 and no diagnostics", async () => {
  const { loss, gradient, diagnostics } = await reportObjective({ ...small, mask: Uint8Array.of(0, 0, 0, 0) });
  expect(Math.abs(loss.total)).toBe(0);
  expect(gradient.flat().map(Math.abs)).toEqual([0, 0, 0, 0]);
  expect(diagnostics).toEqual({});
});

it("a sampler of its own is told apart: mismatch, and truncated weights in the loss", async () => {
  const samplerLogProbs = Float64Array.of(-2.1, -1.9, -0.4, 0);
  const { weights, diagnostics } = await reportObjective({
    ...small,
    samplerLogProbs,
    update: { ...update, truncatedImportance: 2 },
  });
  expect(weights.flat()).toEqual(close([2 / 3, 1 / 3, 1 / 3, 0]));
  expect(diagnostics["policy/samplerMismatch"]).toBeCloseTo(1 / 3, 9);
  expect(diagnostics["policy/truncatedImportanceFraction"]).toBeCloseTo(1 / 3, 9);
});

const vectors = readVectors();
it("the golden batch gives the golden GRPO loss and gradient", async () => {
  const { inputs, cases } = vectors;
  const golden = cases.find(({ name }) => name === "vanilla/token-mean");
  const width = inputs.mask[0]?.length ?? 0;
  const { loss, gradient, diagnostics } = await reportObjective({
    ...small,
    shape: [inputs.mask.length, width],
    mask: Uint8Array.from(inputs.mask.flat()),
    logProbs: Float64Array.from(inputs.new.flat()),
    oldLogProbs: Float64Array.from(inputs.old.flat()),
    credit: {
      kind: "advantages",
      advantages: Float64Array.from(inputs.adv_seq.flatMap((x) => Array.from({ length: width }, () => x))),
    },
  });
  expect(loss.total).toBeCloseTo(golden?.loss ?? NaN, 6);
  expect(gradient.flat()).toEqual(close(golden?.grad.flat() ?? []));
  expect(diagnostics["policy/clipFraction"]).toBeCloseTo(golden?.info.clipfrac ?? NaN, 9);
});
