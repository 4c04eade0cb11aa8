import { noCorrection, type Correction } from "../correction.ts";
import { comparedMethods, grpo, gspo } from "./compared.ts";
import type { NamedMethod } from "./namedMethod.ts";

const clipped = { kind: "clip", low: null, normalise: false } as const;
/** Truncated importance sampling with a cap of 2 on the ratios of tokens; `rowTis` caps the ratios of rows. */
const tokenTis = { ...clipped, level: "token", high: 2 } as const;
const rowTis = { ...clipped, level: "row", high: 2 } as const;
const rawTokens = { kind: "raw", level: "token", normalise: false } as const;

/** Shared fields of rejections by a whole row's importance ratio. */
const rowRatio = { kind: "row", statistic: "ratio" } as const;
const k3Mean = { kind: "row", statistic: "k3", reduce: "mean", low: null } as const;

const corrected = (correction: Partial<Correction>) => ({ correction: { ...noCorrection, ...correction } });
const noDual = { ...grpo.clipping, dual: null } as const;

/**
 * The divergence mask of prime-rl. It compares with the sampler, and its loss uses the ratio and a small penalty on the
 * squared log-ratio.
 */
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

/** VCPO's loss, importance weights and learning-rate scaling, without its baseline (OPOB). */
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

/** Methods for a sampler that differs from the trained policy, and advantages from papers of the same years. */
export const offPolicyMethods = {
  grpoTis: {
    ...grpo,
    title: "GRPO_TIS",
    latex: "GRPO$_{\\mathrm{TIS}}$",
    paper: "fengyao.notion.site/off-policy-rl",
    summary: "GRPO whose tokens weigh π_old/μ, max 2: truncated importance sampling.",
    ...corrected({ weight: tokenTis }),
  },
  grpoSeqTis: {
    ...grpo,
    title: "GRPO_SeqTIS",
    latex: "GRPO$_{\\mathrm{SeqTIS}}$",
    paper: verl,
    summary: "GRPO whose turns weigh the product of their tokens' ratios to the sampler, max 2.",
    ...corrected({ weight: rowTis }),
  },
  grpoSeqMis: {
    ...grpo,
    title: "GRPO_SeqMIS",
    latex: "GRPO$_{\\mathrm{SeqMIS}}$",
    paper: verl,
    summary: "GRPO_SeqTIS without the turns whose product of token ratios to the sampler is outside 0.5 to 2.",
    ...corrected({ weight: rowTis, reject: [{ ...rowRatio, reduce: "sum", low: 0.5, high: 2 }] }),
  },
  grpoGeoRs: {
    ...grpo,
    title: "GRPO_GeoRS",
    latex: "GRPO$_{\\mathrm{GeoRS}}$",
    paper: verl,
    summary: "GRPO without the turns whose geometric mean ratio to the sampler is a thousandth off 1.",
    ...corrected({ reject: [{ ...rowRatio, reduce: "mean", low: 0.999, high: 1.001 }] }),
  },
  grpoK3Rs: {
    ...grpo,
    title: "GRPO_K3RS",
    latex: "GRPO$_{\\mathrm{K3RS}}$",
    paper: verl,
    summary: "GRPO_TIS without the turns whose mean k3 to the sampler exceeds a hundredth of a nat.",
    ...corrected({ weight: tokenTis, reject: [{ ...k3Mean, high: 0.01 }] }),
  },
  icePop: {
    ...grpo,
    title: "IcePop",
    latex: "IcePop",
    paper: "arXiv:2510.18855",
    summary: "Tokens whose ratio to the sampler is outside 0.5 to 5 weigh nothing, and still count in the mean.",
    ...corrected({ weight: { ...rawTokens, kind: "zero", low: 0.5, high: 5 }, denominator: "all" }),
  },
  trm: {
    ...grpo,
    title: "TRM",
    latex: "TRM",
    paper: "arXiv:2512.23075",
    summary: "Trust region masking: whole turns are left out by their largest and by their mean divergence.",
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
    latex: "GRPO$_{\\mathrm{SeqMaskTIS}}$",
    paper: "github.com/OpenRLHF/OpenRLHF",
    summary:
      "Turns are kept by their geometric mean ratio to the sampler, and what is kept weighs each token's own ratio.",
    ...corrected({
      weight: rawTokens,
      reject: [{ ...rowRatio, reduce: "mean", low: 0.999, high: 1.002 }],
      denominator: "all",
    }),
  },
  decoupledPpo: {
    ...grpo,
    title: "Decoupled PPO",
    latex: "Decoupled PPO",
    paper: "arXiv:2505.24298",
    summary:
      "The clip range is around the trainer's policy while tokens weigh its ratio to the sampler, as AReaL trains.",
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
    latex: "Bypass GRPO",
    paper: verl,
    summary: "GRPO's clip range around the sampler itself: one ratio in place of two.",
    ...corrected({ proximal: "sampler" }),
  },
  bypassPg: {
    ...grpo,
    title: "Bypass PG",
    latex: "Bypass PG",
    paper: verl,
    summary: "A plain policy gradient whose turns weigh their whole ratio to the sampler, max 2.",
    clipping: { kind: "score" },
    ...corrected({ proximal: "sampler", weight: rowTis }),
  },
  m2po: {
    ...grpo,
    title: "M2PO",
    latex: "M2PO",
    paper: "arXiv:2510.01161",
    summary: "Leaves out the tokens furthest from the sampler until the others' second moment is small.",
    clipping: noDual,
    ...corrected({ reject: [{ kind: "secondMoment", threshold: 0.04 }] }),
  },
  dppoTv: {
    ...grpo,
    title: "DPPO_TV",
    latex: "DPPO$_{\\mathrm{TV}}$",
    paper: "arXiv:2602.04879",
    summary: "Bounds how far a token's probability may move from the sampler's, not their ratio.",
    clipping: { ...dppo, measure: "tv", low: 0.15, high: 0.15 },
  },
  dppoKl: {
    ...grpo,
    title: "DPPO_KL",
    latex: "DPPO$_{\\mathrm{KL}}$",
    paper: "arXiv:2602.04879",
    summary: "DPPO_TV with the divergence of two outcomes, the token or any other, in place of the difference.",
    clipping: { ...dppo, measure: "binaryKl", low: 0.05, high: 0.05 },
  },
  primeRl: {
    ...grpo,
    title: "prime-rl",
    latex: "prime-rl",
    paper: primeRl,
    summary:
      "The default loss of prime-rl: DPPO's mask at 0.2, an unbounded ratio and a small penalty on leaving the sampler.",
    clipping: { ...prime, sided: "directional", low: 0.2, high: 0.2 },
  },
  ipo: {
    ...grpo,
    title: "IPO (prime-rl)",
    latex: "IPO (prime-rl)",
    paper: primeRl,
    summary: "Masks tokens whose probability moved by a tenth, whatever their advantage.",
    clipping: { ...prime, sided: "both", low: 0.1, high: 0.1 },
  },
  drpo: {
    ...grpo,
    title: "DRPO",
    latex: "DRPO",
    paper: "arXiv:2606.09821",
    summary:
      "A quadratic penalty in place of DPPO's mask: gradients shrink with the change of a probability and turn back.",
    clipping: { kind: "quadratic", geometry: "probability", delta: 0.15, anchor: "sampler" },
  },
  spo: {
    ...grpo,
    title: "SPO",
    latex: "SPO",
    paper: "arXiv:2401.16025",
    summary: "A quadratic penalty on the ratio in place of the clip range.",
    clipping: { kind: "quadratic", geometry: "ratio", delta: 0.2, anchor: "old" },
  },
  dro: {
    ...grpo,
    title: "DRO",
    latex: "DRO",
    paper: "arXiv:2405.19107",
    summary: "A plain policy gradient with a quadratic penalty on the log-ratio.",
    clipping: { kind: "quadraticLog", beta: 0.05 },
  },
  vespo: {
    ...grpo,
    title: "VESPO",
    latex: "VESPO",
    paper: "arXiv:2602.10693",
    summary: "A smooth weight of each turn's whole ratio, by the sign of its advantage, that fades on both sides of 1.",
    clipping: { kind: "vespo", kPositive: 2, lambdaPositive: 3, kNegative: 3, lambdaNegative: 2 },
    ...corrected({ weight: tokenTis }),
  },
  luspo: {
    ...grpo,
    title: "LUSPO",
    latex: "LUSPO",
    paper: "arXiv:2602.05261",
    summary: "GSPO whose turns weigh by their length, which removes its preference for short ones.",
    aggregation: "seqMeanTokenSum",
    clipping: { ...gspo, low: 2e-3, high: 2.5e-3 },
  },
  aspo: {
    ...grpo,
    title: "ASPO",
    latex: "ASPO",
    paper: "arXiv:2510.06062",
    summary: "Tokens of positive advantage carry the inverse ratio, and uncertain tokens have twice the range.",
    clipping: { kind: "aspo", low: 0.2, high: 0.2, lowWide: 0.4, highWide: 0.4, dual: 3 },
  },
  ceGppo: {
    ...grpo,
    title: "CE-GPPO",
    latex: "CE-GPPO",
    paper: "arXiv:2509.20712",
    summary: "Clipped tokens keep a gradient of the bound's size, halved below the range.",
    clipping: { kind: "gradientPreserving", low: 0.2, high: 0.2, betaLow: 0.5, betaHigh: 1, dual: 3 },
  },
  vcpo: {
    ...grpo,
    title: "VCPO",
    latex: "VCPO",
    paper: "arXiv:2602.17616",
    summary:
      "A plain policy gradient with capped turn weights, whose learning rate falls with the effective sample size.",
    ...vcpoUpdate,
  },
  opsm: {
    ...grpo,
    title: "OPSM",
    latex: "OPSM",
    paper: "arXiv:2512.02556",
    summary: "Off-policy sequence masking: failing turns that are far from the sampler are left out, as DeepSeek does.",
    aggregation: "seqMeanTokenMean",
    ...corrected({ reject: [{ kind: "drift", delta: 0.05, anchor: "sampler" }], denominator: "all" }),
  },
  turnPpo: {
    ...grpo,
    title: "Turn-PPO",
    latex: "Turn-PPO",
    paper: "arXiv:2512.17008",
    summary: "One ratio per turn of a transcript, and a critic whose advantages run over turns.",
    clipping: { kind: "turn", length: "mean", low: 0.2, high: 0.2 },
    advantage: { ...comparedMethods.ppo.advantage, turns: { gamma: 0.99, lambda: 0.9 } },
  },
  opo: {
    ...grpo,
    title: "OPO",
    latex: "OPO",
    paper: "arXiv:2505.23585",
    summary: "The group's mean weighted by length is the baseline.",
    advantage: { kind: "opo" },
  },
  passK: {
    ...grpo,
    title: "Pass@k",
    latex: "Pass@k",
    paper: "arXiv:2503.19595",
    summary: "Only the best episode of a group learns, by its lead over the second.",
    advantage: { kind: "passK", scale: "groupStd" },
  },
  gpg: {
    ...grpo,
    title: "GPG",
    latex: "GPG",
    paper: "arXiv:2504.02546",
    summary: "A plain policy gradient, scaled up where few rows have a return.",
    clipping: { kind: "score" },
    advantage: { kind: "gpg" },
  },
  maxRl: {
    ...grpo,
    title: "MaxRL",
    latex: "MaxRL",
    paper: "arXiv:2602.02710",
    summary: "Returns relative to their group's mean, so that rare successes count most.",
    advantage: { kind: "maxRl" },
  },
  hgpo: {
    ...grpo,
    title: "HGPO",
    latex: "HGPO",
    paper: "arXiv:2602.22817",
    summary: "Compares turns that share their last states, longer pasts weighing more.",
    advantage: { kind: "hgpo", scale: "groupStd", gamma: 0.95, history: 2, alpha: 1 },
  },
  remax: {
    ...grpo,
    title: "ReMax",
    latex: "ReMax",
    paper: "arXiv:2310.10505",
    summary: "The return of one greedy episode of the same task, played beside the group, is the baseline.",
    advantage: { kind: "remax" },
  },
  vcpoOpob: {
    ...grpo,
    title: "VCPO_OPOB",
    latex: "VCPO$_{\\mathrm{OPOB}}$",
    paper: "arXiv:2602.17616",
    summary: "VCPO as published: its baseline weighs rows by their squared gradient norm and ratio to the sampler.",
    ...vcpoUpdate,
    advantage: { kind: "opob", scale: "groupStd" },
  },
} as const satisfies Record<string, NamedMethod>;
