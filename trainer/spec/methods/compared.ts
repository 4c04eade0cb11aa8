import type { NamedMethod } from "./namedMethod.ts";

export const grpo = {
  title: "GRPO",
  paper: "arXiv:2402.03300",
  summary:
    "The baseline of every comparison: group-normalised returns, token-level ratio clipping and a mean over all tokens.",
  aggregation: "tokenMean",
  clipping: { kind: "token", low: 0.2, high: 0.2, dual: 3, sequenceMask: null },
  advantage: { kind: "group", scale: "groupStd", samples: "turns" },
  sampling: { kind: "all" },
} as const satisfies NamedMethod;

/** Sequence masking with the threshold δ of ARLArena's released scripts (default in its code: 0.223). */
const masked = { sequenceMask: { delta: 3e-3 } } as const;
/** Dynamic sampling (ARLArena, Table S1). A cold start depends on the task, so no method has one. */
const dynamic = { kind: "dynamic", maxTries: 3, coldStartIterations: 0 } as const;
const gigpo = { kind: "gigpo", scale: "groupStd", stepWeight: 1, gamma: 0.95, similarity: null } as const;
const sapo = { kind: "sapo", tauPositive: 1, tauNegative: 1.05, sequenceMask: null } as const;
const cispo = { kind: "cispo", low: 1, high: 0.2, sequenceMask: null } as const;
/** GSPO's clipping. Its ratio is length-normalised, so its range is two orders of magnitude tighter. */
export const gspo = { kind: "sequence", low: 3e-3, high: 4e-3, credit: "row" } as const;

/** Named methods that ARLArena compares, with its defaults (Tables 1 and S1), and methods on entropy. */
export const comparedMethods = {
  grpo,
  grpoSt: {
    ...grpo,
    title: "GRPO_ST",
    paper: "arXiv:2602.21534",
    summary: "GRPO with the loss averaged per turn first, so that long turns weigh no more than short turns.",
    aggregation: "seqMeanTokenMean",
  },
  grpoSm: {
    ...grpo,
    title: "GRPO_SM",
    paper: "arXiv:2602.21534",
    summary: "GRPO with a sequence mask, which drops failed turns that the policy has already made much less likely.",
    clipping: { ...grpo.clipping, ...masked },
  },
  drGrpo: {
    ...grpo,
    title: "Dr. GRPO",
    latex: "Dr.\\ GRPO",
    paper: "arXiv:2503.20783",
    summary:
      "GRPO without two of its biases: no division by the group's standard deviation, and a constant length normaliser.",
    aggregation: "seqMeanTokenSumNorm",
    advantage: { kind: "group", scale: "none", samples: "turns" },
  },
  rloo: {
    ...grpo,
    title: "RLOO",
    paper: "arXiv:2402.14740",
    summary: "The baseline of an episode is the mean return of the other episodes of its group.",
    advantage: { kind: "rloo" },
  },
  reinforcePlusPlus: {
    ...grpo,
    title: "REINFORCE++",
    paper: "arXiv:2501.03262",
    summary: "Returns are whitened over the whole batch instead of per group.",
    advantage: { kind: "reinforcePlusPlus", baseline: "none" },
  },
  reinforcePlusPlusBaseline: {
    ...grpo,
    title: "REINFORCE++ (baseline)",
    latex: "REINFORCE++$_{\\mathrm{base}}$",
    paper: "arXiv:2501.03262",
    summary: "The group's mean is subtracted from its returns, which are then whitened over the whole batch.",
    advantage: { kind: "reinforcePlusPlus", baseline: "group" },
  },
  ppo: {
    ...grpo,
    title: "PPO",
    paper: "arXiv:1707.06347",
    summary: "A learned critic with generalised advantage estimation replaces the groups of GRPO.",
    advantage: {
      kind: "gae",
      gamma: 1,
      lambda: 1,
      turns: null,
      valueClip: 0.5,
      criticLearningRate: null,
      criticWarmupIterations: 0,
    },
  },
  sapo: {
    ...grpo,
    title: "SAPO",
    paper: "arXiv:2511.20347",
    summary: "A smooth sigmoid gate replaces the hard clip, so that learning is fast but drifts easily.",
    clipping: sapo,
  },
  sapoSm: {
    ...grpo,
    title: "SAPO_SM",
    paper: "arXiv:2602.21534",
    summary: "SAPO with a sequence mask, which is meant to prevent SAPO's collapse.",
    clipping: { ...sapo, ...masked },
  },
  cispo: {
    ...grpo,
    title: "CISPO",
    paper: "arXiv:2506.13585",
    summary: "Clips the importance weight instead of the gradient, so that every token keeps a gradient.",
    clipping: cispo,
  },
  cispoSm: {
    ...grpo,
    title: "CISPO_SM",
    paper: "arXiv:2602.21534",
    summary: "CISPO with a sequence mask, which is meant to prevent CISPO's collapse.",
    clipping: { ...cispo, ...masked },
  },
  aepo: {
    ...grpo,
    title: "AEPO",
    paper: "arXiv:2510.14545",
    summary: "High-entropy tokens weigh more, and low-entropy tokens keep a gradient even above the clip range.",
    clipping: { kind: "aepo", low: 0.2, high: 0.2, dual: 3, entropyWeight: 0.2 },
  },
  gmpo: {
    ...grpo,
    title: "GMPO",
    paper: "arXiv:2507.20673",
    summary: "Uses the geometric mean of a turn's clipped token ratios instead of their arithmetic mean.",
    aggregation: "seqMeanTokenMean",
    clipping: { kind: "geometricMean", low: 0.4, high: 0.4 },
  },
  clipCov: {
    ...grpo,
    title: "Clip-Cov",
    paper: "arXiv:2505.22617",
    summary:
      "Stops the gradient of a few tokens with a high covariance of log-probability and advantage, to preserve entropy.",
    clipping: { kind: "clipCov", low: 0.2, high: 0.2, share: 2e-4, covarianceLow: 1, covarianceHigh: 5 },
  },
  klCov: {
    ...grpo,
    title: "KL-Cov",
    paper: "arXiv:2505.22617",
    summary:
      "Instead of clipping, tokens that drive entropy down get a KL penalty (weight 1 in the paper, 0.1 in verl's configuration).",
    clipping: { kind: "klCov", share: 2e-4, weight: 1 },
  },
  gspo: {
    ...grpo,
    title: "GSPO",
    paper: "arXiv:2507.18071",
    summary:
      "One length-normalised ratio per turn is clipped, which learns more slowly than token-level clipping but stably.",
    aggregation: "seqMeanTokenMean",
    clipping: gspo,
  },
  gigpo: {
    ...grpo,
    title: "GiGPO",
    paper: "arXiv:2505.10978",
    summary: "Adds a turn-level advantage, which compares turns of a group that started from the same state.",
    advantage: gigpo,
  },
  empg: {
    ...grpo,
    title: "EMPG",
    paper: "arXiv:2509.09265",
    summary:
      "Rescales each turn's advantage by the policy's confidence and rewards turns that lead to low-entropy states.",
    advantage: { kind: "empg", scale: "groupStd", k: 1, kFuture: 1, zeta: 0.05 },
  },
  dapoGrpo: {
    ...grpo,
    title: "DAPO_GRPO",
    paper: "arXiv:2503.14476",
    summary: "GRPO that resamples groups whose rollouts all succeed or all fail.",
    sampling: dynamic,
  },
  dapoGigpo: {
    ...grpo,
    title: "DAPO_GiGPO",
    paper: "arXiv:2602.21534",
    summary: "GiGPO that resamples groups whose rollouts all succeed or all fail.",
    advantage: gigpo,
    sampling: dynamic,
  },
  sampo: {
    ...grpo,
    title: "SAMPO",
    paper: "arXiv:2602.21534",
    summary: "ARLArena's stable recipe: turn-level ratio clipping, GiGPO advantages and dynamic sampling together.",
    aggregation: "seqMeanTokenMean",
    clipping: gspo,
    advantage: gigpo,
    sampling: dynamic,
  },
} as const satisfies Record<string, NamedMethod>;
