import { noCorrection, type Correction } from "../correction.ts";
import { comparedMethods, grpo, gspo } from "./compared.ts";
import type { NamedMethod } from "./namedMethod.ts";

const clipped = { kind: "clip", low: null, normalise: false } as const;
/** Truncated importance sampling with a cap of 2 on token ratios; `rowTis` caps the ratios of whole rows. */
const tokenTis = { ...clipped, level: "token", high: 2 } as const;
const rowTis = { ...clipped, level: "row", high: 2 } as const;
const rawTokens = { kind: "raw", level: "token", normalise: false } as const;

const rowRatio = { kind: "row", statistic: "ratio" } as const;
const k3Mean = { kind: "row", statistic: "k3", reduce: "mean", low: null } as const;

const corrected = (correction: Partial<Correction>) => ({ correction: { ...noCorrection, ...correction } });
const noDual = { ...grpo.clipping, dual: null } as const;

/** Divergence mask of prime-rl. It compares with the sampler and adds a small penalty on the squared log-ratio. */
const prime = {
  kind: "divergence",
  measure: "tv",
  anchor: "sampler",
  surrogate: "ratio",
  cap: null,
  drift: 1e-3,
} as const;
const dppo = {
  kind: "divergence",
  sided: "directional",
  anchor: "sampler",
  surrogate: "score",
  cap: 20,
  drift: 0,
} as const;

/** VCPO's loss, importance weights and learning-rate scaling, without its optimal baseline (OPOB). */
const vcpoUpdate = {
  aggregation: "seqMeanTokenMean",
  clipping: { kind: "score" },
  ...corrected({
    proximal: "sampler",
    weight: { ...clipped, level: "row", high: 8 },
    step: { kind: "ess", rule: "sqrt", base: 1, cap: null },
  }),
} as const;

const verl = "github.com/verl-project/verl";
const primeRl = "github.com/PrimeIntellect-ai/prime-rl";

/** Named methods for a sampler that differs from the trained policy, and further advantage estimators. */
export const offPolicyMethods = {
  grpoTis: {
    ...grpo,
    title: "GRPO_TIS",
    paper: "fengyao.notion.site/off-policy-rl",
    summary: "GRPO with truncated importance sampling: each token is weighted by its ratio to the sampler, at most 2.",
    ...corrected({ weight: tokenTis }),
  },
  grpoSeqTis: {
    ...grpo,
    title: "GRPO_SeqTIS",
    paper: verl,
    summary: "GRPO with a weight per turn: the product of the ratios of the turn's tokens to the sampler, at most 2.",
    ...corrected({ weight: rowTis }),
  },
  grpoSeqMis: {
    ...grpo,
    title: "GRPO_SeqMIS",
    paper: verl,
    summary: "GRPO_SeqTIS that excludes turns whose product of token ratios to the sampler is outside 0.5 to 2.",
    ...corrected({ weight: rowTis, reject: [{ ...rowRatio, reduce: "sum", low: 0.5, high: 2 }] }),
  },
  grpoGeoRs: {
    ...grpo,
    title: "GRPO_GeoRS",
    paper: verl,
    summary: "GRPO that excludes turns whose geometric-mean ratio to the sampler differs from 1 by more than 0.001.",
    ...corrected({ reject: [{ ...rowRatio, reduce: "mean", low: 0.999, high: 1.001 }] }),
  },
  grpoK3Rs: {
    ...grpo,
    title: "GRPO_K3RS",
    paper: verl,
    summary: "GRPO_TIS that excludes turns whose mean k3 estimate of the KL to the sampler exceeds 0.01 nats.",
    ...corrected({ weight: tokenTis, reject: [{ ...k3Mean, high: 0.01 }] }),
  },
  icePop: {
    ...grpo,
    title: "IcePop",
    paper: "arXiv:2510.18855",
    summary:
      "Tokens whose ratio to the sampler is outside 0.5 to 5 have weight 0, but still count in the mean of the loss.",
    ...corrected({ weight: { ...rawTokens, kind: "zero", low: 0.5, high: 5 }, denominator: "all" }),
  },
  trm: {
    ...grpo,
    title: "TRM",
    paper: "arXiv:2512.23075",
    summary: "Trust region masking: excludes turns whose largest or mean divergence from the sampler exceeds a bound.",
    ...corrected({
      reject: [
        { kind: "row", statistic: "k2", reduce: "max", low: null, high: 0.05 },
        { ...k3Mean, high: 0.001 },
      ],
    }),
  },
  seqMaskTis: {
    ...grpo,
    title: "GRPO_SeqMaskTIS",
    paper: "github.com/OpenRLHF/OpenRLHF",
    summary:
      "Excludes turns whose geometric-mean ratio to the sampler is out of bounds, and weights each kept token by its ratio.",
    ...corrected({
      weight: rawTokens,
      reject: [{ ...rowRatio, reduce: "mean", low: 0.999, high: 1.002 }],
      denominator: "all",
    }),
  },
  decoupledPpo: {
    ...grpo,
    title: "Decoupled PPO",
    paper: "arXiv:2505.24298",
    summary:
      "Clips around the trainer's old policy, and weights tokens by this policy's ratio to the sampler, as in AReaL.",
    clipping: { ...noDual, low: 0.4, high: 0.4 },
    ...corrected({
      weight: rawTokens,
      reject: [{ kind: "token", statistic: "ratio", low: null, high: 5 }],
      denominator: "all",
    }),
  },
  bypassGrpo: {
    ...grpo,
    title: "Bypass GRPO",
    paper: verl,
    summary:
      "GRPO with its clip range around the sampling policy, so that a single ratio replaces clipped ratio and weight.",
    ...corrected({ proximal: "sampler" }),
  },
  bypassPg: {
    ...grpo,
    title: "Bypass PG",
    paper: verl,
    summary: "A plain policy gradient with a weight per turn: the turn's ratio to the sampler, at most 2.",
    clipping: { kind: "score" },
    ...corrected({ proximal: "sampler", weight: rowTis }),
  },
  m2po: {
    ...grpo,
    title: "M2PO",
    paper: "arXiv:2510.01161",
    summary:
      "Excludes the tokens with the largest log-ratios to the sampler, until the second moment of the remaining log-ratios is small.",
    clipping: noDual,
    ...corrected({ reject: [{ kind: "secondMoment", threshold: 0.04 }] }),
  },
  dppoTv: {
    ...grpo,
    title: "DPPO_TV",
    paper: "arXiv:2602.04879",
    summary:
      "Bounds the difference between a token's probabilities under the policy and the sampler, instead of their ratio.",
    clipping: { ...dppo, measure: "tv", low: 0.15, high: 0.15 },
  },
  dppoKl: {
    ...grpo,
    title: "DPPO_KL",
    paper: "arXiv:2602.04879",
    summary:
      "DPPO_TV with a binary KL divergence (this token or any other token) instead of the probability difference.",
    clipping: { ...dppo, measure: "binaryKl", low: 0.05, high: 0.05 },
  },
  primeRl: {
    ...grpo,
    title: "prime-rl",
    paper: primeRl,
    summary:
      "The default loss of prime-rl: DPPO's mask at 0.2, an unbounded ratio and a small penalty on the log-ratio to the sampler.",
    clipping: { ...prime, sided: "directional", low: 0.2, high: 0.2 },
  },
  ipo: {
    ...grpo,
    title: "IPO (prime-rl)",
    paper: primeRl,
    summary:
      "Masks tokens whose probability differs from the sampler's by more than 0.1, whatever the sign of their advantage.",
    clipping: { ...prime, sided: "both", low: 0.1, high: 0.1 },
  },
  drpo: {
    ...grpo,
    title: "DRPO",
    paper: "arXiv:2606.09821",
    summary:
      "A quadratic penalty replaces DPPO's mask: as a token's probability moves away from the sampler's, its gradient shrinks to zero and then reverses.",
    clipping: { kind: "quadratic", geometry: "probability", delta: 0.15, anchor: "sampler" },
  },
  spo: {
    ...grpo,
    title: "SPO",
    paper: "arXiv:2401.16025",
    summary: "A quadratic penalty on the ratio's deviation from 1 replaces the clip range.",
    clipping: { kind: "quadratic", geometry: "ratio", delta: 0.2, anchor: "old" },
  },
  dro: {
    ...grpo,
    title: "DRO",
    paper: "arXiv:2405.19107",
    summary: "A plain policy gradient with a quadratic penalty on the log-ratio.",
    clipping: { kind: "quadraticLog", beta: 0.05 },
  },
  vespo: {
    ...grpo,
    title: "VESPO",
    paper: "arXiv:2602.10693",
    summary:
      "Each turn has a smooth weight, which depends on the sign of the advantage and decreases on both sides of ratio 1.",
    clipping: { kind: "vespo", kPositive: 2, lambdaPositive: 3, kNegative: 3, lambdaNegative: 2 },
    ...corrected({ weight: tokenTis }),
  },
  luspo: {
    ...grpo,
    title: "LUSPO",
    paper: "arXiv:2602.05261",
    summary: "GSPO with turns weighted by their length, which removes GSPO's preference for short turns.",
    aggregation: "seqMeanTokenSum",
    clipping: { ...gspo, low: 2e-3, high: 2.5e-3 },
  },
  aspo: {
    ...grpo,
    title: "ASPO",
    paper: "arXiv:2510.06062",
    summary:
      "Tokens with positive advantage use the inverse ratio, and high-entropy tokens have a clip range twice as wide.",
    clipping: { kind: "aspo", low: 0.2, high: 0.2, lowWide: 0.4, highWide: 0.4, dual: 3 },
  },
  ceGppo: {
    ...grpo,
    title: "CE-GPPO",
    paper: "arXiv:2509.20712",
    summary:
      "Tokens above the clip range keep the gradient of the bound, and tokens below the range half of that gradient.",
    clipping: { kind: "gradientPreserving", low: 0.2, high: 0.2, betaLow: 0.5, betaHigh: 1, dual: 3 },
  },
  vcpo: {
    ...grpo,
    title: "VCPO",
    paper: "arXiv:2602.17616",
    summary:
      "A plain policy gradient with capped turn weights, and with a lower learning rate where the normalised ESS is lower.",
    ...vcpoUpdate,
  },
  opsm: {
    ...grpo,
    title: "OPSM",
    paper: "arXiv:2512.02556",
    summary: "Off-policy sequence masking, as in DeepSeek-V3.2: excludes failed turns that are far from the sampler.",
    aggregation: "seqMeanTokenMean",
    ...corrected({ reject: [{ kind: "drift", delta: 0.05, anchor: "sampler" }], denominator: "all" }),
  },
  turnPpo: {
    ...grpo,
    title: "Turn-PPO",
    paper: "arXiv:2512.17008",
    summary: "PPO on transcripts with one ratio per turn, and with a critic whose advantages are computed over turns.",
    clipping: { kind: "turn", length: "mean", low: 0.2, high: 0.2 },
    advantage: { ...comparedMethods.ppo.advantage, turns: { gamma: 0.99, lambda: 0.9 } },
  },
  opo: {
    ...grpo,
    title: "OPO",
    paper: "arXiv:2505.23585",
    summary: "The baseline is the group's mean return, weighted by response length.",
    advantage: { kind: "opo" },
  },
  passK: {
    ...grpo,
    title: "Pass@k",
    paper: "arXiv:2503.19595",
    summary: "Only the best episode of a group has an advantage: its return minus the second-best return.",
    advantage: { kind: "passK", scale: "groupStd" },
  },
  gpg: {
    ...grpo,
    title: "GPG",
    paper: "arXiv:2504.02546",
    summary: "A plain policy gradient that is scaled up if few training rows have a non-zero return.",
    clipping: { kind: "score" },
    advantage: { kind: "gpg" },
  },
  maxRl: {
    ...grpo,
    title: "MaxRL",
    paper: "arXiv:2602.02710",
    summary: "Advantages are relative to the group's mean return, so that successes count most where they are rare.",
    advantage: { kind: "maxRl" },
  },
  hgpo: {
    ...grpo,
    title: "HGPO",
    paper: "arXiv:2602.22817",
    summary:
      "Compares turns of a group whose most recent states are equal, with more weight for longer shared histories.",
    advantage: { kind: "hgpo", scale: "groupStd", gamma: 0.95, history: 2, alpha: 1 },
  },
  remax: {
    ...grpo,
    title: "ReMax",
    paper: "arXiv:2310.10505",
    summary: "The baseline is the return of one greedy episode of the same task, sampled in addition to the group.",
    advantage: { kind: "remax" },
  },
  vcpoOpob: {
    ...grpo,
    title: "VCPO_OPOB",
    paper: "arXiv:2602.17616",
    summary: "VCPO as published: the baseline weights training rows by squared gradient norm and ratio to the sampler.",
    ...vcpoUpdate,
    advantage: { kind: "opob", scale: "groupStd" },
  },
} as const satisfies Record<string, NamedMethod>;
