import type { RunSpec } from "#trainer/spec/run.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { type Partly, tinySpec } from "./tinySpec.ts";

/** A random method with random update settings, three iterations in the smallest environment. */
export function randomSpec(rng: Rng): RunSpec {
  const pick = <X>(...options: readonly X[]): X => {
    const chosen = options[rng.int(options.length)];
    if (chosen === undefined) throw new Error("nothing to pick from");
    return chosen;
  };
  const mask = pick(null, { delta: 3e-3 });
  const scale = pick("groupStd", "none");
  const klPlacement = pick("loss", "loss", "reward");
  return tinySpec(
    {
      aggregation: pick("tokenMean", "seqMeanTokenMean", "seqMeanTokenSum", "seqMeanTokenSumNorm", "tokenSum"),
      clipping: pick<Partly>(
        { kind: "token", low: 0.2, high: 0.28, dual: pick(null, 3), sequenceMask: mask },
        { kind: "sequence", low: 3e-3, high: 4e-3, credit: pick("row", "token") },
        { kind: "sapo", tauPositive: 1, tauNegative: 1.05, sequenceMask: mask },
        { kind: "cispo", low: 1, high: 0.2, sequenceMask: mask },
        { kind: "aepo", low: 0.2, high: 0.2 },
        { kind: "geometricMean" },
        { kind: "clipCov", low: 0.2, high: 0.2, share: 0.1, covarianceLow: -1 },
        { kind: "klCov", share: 0.1 },
        { kind: "divergence", measure: pick("tv", "binaryKl"), low: 0.15, high: 0.15, anchor: "sampler" },
        { kind: "quadratic", delta: 0.15 },
        { kind: "vespo" },
        { kind: "aspo", low: 0.2, high: 0.2, lowWide: 0.4, highWide: 0.4 },
        { kind: "gradientPreserving", low: 0.2, high: 0.2 },
        { kind: "turn", low: 0.2, high: 0.2 },
        { kind: "score" },
      ),
      advantage: pick<Partly>(
        { kind: "group", scale, samples: pick("turns", "episodes") },
        { kind: "rloo" },
        { kind: "reinforcePlusPlus", baseline: pick("none", "group") },
        { kind: "gae", gamma: 0.99, lambda: 0.95, turns: pick(null, {}) },
        { kind: "gigpo", scale },
        { kind: "empg", scale },
        { kind: "opo" },
        { kind: "opob", scale },
        { kind: "remax" },
        { kind: "passK", scale },
        { kind: "gpg" },
        { kind: "maxRl" },
        { kind: "hgpo", scale },
      ),
      sampling: pick<Partly>(
        { kind: "all" },
        { kind: "dynamic", maxTries: 2, coldStartIterations: 1 },
        { kind: "oversample", factor: 2, maxTries: 2, signal: pick("reward", "success") },
        { kind: "minSpread" },
        { kind: "topSpread" },
        { kind: "topVarianceMass", lossScale: pick("none", "linear", "sqrt") },
      ),
    },
    3,
    {
      initialisation: { kind: "scratch" },
      environment: { id: "sokoban", maxTurns: 2 },
      rollout: {
        numGroups: 2,
        groupSize: pick(1, 2, 2),
        shape: pick(null, "transcript"),
        historyLength: 0,
        maxResponseTokens: 6,
        ...pick(
          {},
          {},
          { lag: { kind: "constant", k: 1 }, samplerPrecision: "fp8-e4m3" },
          { lag: { kind: "uniform", max: 2, discardBeyond: 0 } },
          { samplerPrecision: "int8", samplerNoise: { sigma: 0.1 } },
        ),
      },
      reward: { turnPenalty: pick(0, 0.1), overlongPenalty: pick(0, 0.1) },
      update: {
        minibatchRows: pick(4, 8),
        epochs: pick(1, 2),
        klCoef: pick(0, 0.05),
        klPlacement,
        klEstimator: pick("k1", "abs", "k2", "k3", "k3+"),
        klTarget: pick(null, null, 0.1),
        entropyCoef: pick(0, 0.01),
        ...pick({ oldLogProbs: "sampler" }, { oldLogProbs: "trainer", truncatedImportance: pick(null, 2) }),
        denominatorRows: pick(null, null, 2),
      },
      evaluation: { every: 3, numEpisodes: 2 },
    },
  );
}
