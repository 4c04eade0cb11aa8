import type { Correction, CorrectionWeight, Rejection } from "#trainer/spec/correction.ts";
import type { Advantage, Aggregation, Clipping, Sampling } from "#trainer/spec/dimensions.ts";
import type { Method } from "#trainer/spec/method.ts";
import { sequenceMaskOf } from "#trainer/spec/traits.ts";

/** One choice in a dimension, as shown on the builder's cards and in legends. */
export type Level = {
  /** The union's `kind`, or the aggregation itself. */
  id: string;
  title: string;
  /** Short name for legends of grid points. */
  short: string;
  sentence: string;
};

/**
 * The four dimensions of a policy gradient, without derived fields and without the correction, which has parts instead
 * of choices.
 */
export type DimensionId = Exclude<keyof Method, "penaltyAggregation" | "correction">;

export type Dimension = { id: DimensionId; title: string; question: string; levels: readonly Level[] };

const level = (title: string, short: string, sentence: string) => ({ title, short, sentence });
type Words = ReturnType<typeof level>;

export const aggregationTexts: Record<Aggregation, Words> = {
  tokenMean: level("Token mean", "token mean", "One mean over all response tokens: long turns weigh more."),
  seqMeanTokenMean: level(
    "Turn mean",
    "turn mean",
    "A mean over each turn's tokens, then over turns: every turn weighs the same.",
  ),
  seqMeanTokenSum: level(
    "Turn sum",
    "turn sum",
    "A sum over each turn's tokens, then a mean over turns: the gradient grows with length.",
  ),
  seqMeanTokenSumNorm: level(
    "Turn sum, constant norm",
    "norm sum",
    "Sum over a turn's tokens divided by the length limit: no bias towards short or long turns.",
  ),
  tokenSum: level("Token sum", "token sum", "A plain sum over all response tokens: the gradient grows with the batch."),
};

export const clippingTexts: Record<Clipping["kind"], Words> = {
  token: level("Token clip", "token clip", "Each token's ratio is cut off outside the clip range, as in PPO and GRPO."),
  sequence: level("Turn clip", "turn clip", "One length-normalised ratio per turn is clipped as a whole, as in GSPO."),
  sapo: level(
    "Soft gate",
    "soft gate",
    "A smooth sigmoid replaces the hard clip, as in SAPO: gradients fade, never stop.",
  ),
  cispo: level(
    "Clipped weight",
    "clipped weight",
    "The ratio's weight is clipped but its gradient is kept, as in CISPO: every token learns.",
  ),
  aepo: level(
    "Entropy-aware clip",
    "entropy-aware clip",
    "Uncertain tokens count more, and certain ones keep a gradient above the range, as in AEPO.",
  ),
  geometricMean: level(
    "Geometric mean",
    "geometric mean",
    "The geometric mean of a turn's clipped token ratios, as in GMPO: one outlier weighs little.",
  ),
  clipCov: level(
    "Covariance clip",
    "clip-cov",
    "A few tokens whose likelihood and advantage move together lose their gradient, as in Clip-Cov.",
  ),
  klCov: level(
    "Covariance penalty",
    "KL-cov",
    "No clip; those tokens pay for moving away from the old policy, as in KL-Cov.",
  ),
  divergence: level(
    "Divergence mask",
    "divergence mask",
    "Tokens whose probability moved too far lose their gradient, as in DPPO: rare tokens may move more than a ratio allows.",
  ),
  quadratic: level(
    "Quadratic penalty",
    "quadratic penalty",
    "Distance is paid for in place of a bound, as in DRPO and SPO: gradients shrink and turn back.",
  ),
  quadraticLog: level(
    "Squared log-ratio",
    "squared log-ratio",
    "A plain policy gradient that pays for the squared log-ratio, as in DRO.",
  ),
  vespo: level(
    "Variational weight",
    "variational weight",
    "A smooth weight of each turn's whole ratio, largest near 1, as in VESPO.",
  ),
  aspo: level(
    "Asymmetric ratio",
    "asymmetric ratio",
    "Successful tokens carry the inverse ratio, as in ASPO: those that already rose count less.",
  ),
  gradientPreserving: level(
    "Gradient-preserving clip",
    "gradient-preserving",
    "Clipped tokens keep a bounded gradient, as in CE-GPPO.",
  ),
  turn: level(
    "Turn ratio in a transcript",
    "transcript turn clip",
    "One ratio for every turn of a row that is a whole episode.",
  ),
  score: level("Plain policy gradient", "score", "No ratio at all, as in GPG and REINFORCE."),
  ratio: level(
    "Unclipped ratio",
    "unclipped",
    "The ratio without any bound: a correction's mask is all that holds it.",
  ),
};

const advantageTexts: Record<Advantage["kind"], Words> = {
  group: level("Group-relative", "group", "Return minus the mean of its group, divided by the group's spread."),
  rloo: level("Leave one out", "RLOO", "Return minus the mean of the other samples of its group."),
  reinforcePlusPlus: level(
    "Batch-whitened",
    "R++",
    "Returns are normalised over the whole batch instead of per group.",
  ),
  gae: level("Critic (GAE)", "GAE", "A learned value function is the baseline, as in PPO."),
  gigpo: level("Group in group", "GiGPO", "Adds a comparison among turns that started from the same state."),
  empg: level("Entropy-modulated", "EMPG", "Scales advantages by the policy's confidence at each turn."),
  opo: level("Length-weighted baseline", "OPO", "Return minus the group's mean weighted by length, as in OPO."),
  opob: level(
    "Variance-optimal baseline",
    "OPOB",
    "Return minus the group's mean weighted by gradient and ratio (VCPO).",
  ),
  remax: level("Greedy baseline", "ReMax", "Return minus that of a greedy episode of the same task, as in ReMax."),
  passK: level("Best of the group", "pass@k", "Only the group's best episode counts, by its lead over the second."),
  gpg: level("Scaled by signal", "GPG", "Return minus the group's mean, times all rows over those with a return."),
  maxRl: level("Relative to the mean", "MaxRL", "Divided by the group's mean: rare successes count most."),
  hgpo: level("Hierarchy of groups", "HGPO", "Compares turns that share the last states, longer pasts weighing more."),
};

const samplingTexts: Record<Sampling["kind"], Words> = {
  all: level("Keep all", "all groups", "Every group reaches the update, also those without any signal."),
  dynamic: level("Dynamic", "dynamic", "Groups whose episodes all got the same reward are replaced by fresh ones."),
  oversample: level(
    "Oversample",
    "oversample",
    "Several times the tasks are tried and uniform groups left out until enough are found, as in DAPO's recipe.",
  ),
  minSpread: level(
    "Drop uniform",
    "drop uniform",
    "Groups whose rewards hardly differ are left out and not replaced, as in slime.",
  ),
  topSpread: level(
    "Widest share",
    "widest share",
    "Only the share of groups whose rewards differ most is kept, as in StarPO-S.",
  ),
  topVarianceMass: level(
    "Variance mass",
    "variance mass",
    "The groups that hold most of the reward variance are kept, as in RAGEN v2.",
  ),
};

const toLevels = (words: Record<string, Words>): Level[] =>
  Object.entries(words).map(([id, texts]) => ({ id, ...texts }));

/** The four dimensions with a title, and one sentence for each choice, in the paper's order. */
export const dimensionTexts: readonly Dimension[] = [
  {
    id: "aggregation",
    title: "Loss aggregation",
    question: "Over what is the mean taken?",
    levels: toLevels(aggregationTexts),
  },
  { id: "clipping", title: "Ratio clipping", question: "What bounds each update?", levels: toLevels(clippingTexts) },
  {
    id: "advantage",
    title: "Advantage design",
    question: "What counts as better than expected?",
    levels: toLevels(advantageTexts),
  },
  {
    id: "sampling",
    title: "Dynamic sampling",
    question: "Which groups reach the update?",
    levels: toLevels(samplingTexts),
  },
];

/** Describes a method without a published name: "turn mean · turn clip · GiGPO · dynamic". */
export function describePoint(method: Method): string {
  const { aggregation, clipping, advantage, sampling, correction } = method;
  const mask = sequenceMaskOf(clipping) ? " + mask" : "";
  return [
    aggregationTexts[aggregation].short,
    clippingTexts[clipping.kind].short + mask,
    advantageTexts[advantage.kind].short,
    samplingTexts[sampling.kind].short,
    ...(correction ? [describeCorrection(correction)] : []),
  ].join(" · ");
}

const weightWords: Record<CorrectionWeight["kind"], string> = { clip: "truncated", zero: "masked", raw: "raw" };
const levelWords: Record<CorrectionWeight["level"], string> = { token: "token", row: "turn", geometric: "geometric" };
/** Titles of a correction's parts in the menus of the builder. */
export const correctionTitles = {
  proximal: {
    recomputed: "The trainer's own",
    sampler: "The sampler (bypass)",
    interpolated: "Between, by age",
  } satisfies Record<Correction["proximal"], string>,
  denominator: { kept: "Kept tokens", all: "All tokens" } satisfies Record<Correction["denominator"], string>,
  weight: { clip: "Truncated", zero: "Masked outside", raw: "Unbounded" } satisfies Record<
    CorrectionWeight["kind"],
    string
  >,
  reject: {
    token: "Tokens by their statistic",
    row: "Turns by a statistic",
    veto: "Turns with one far token",
    secondMoment: "Tokens by second moment (M2PO)",
    drift: "Failing turns by drift",
  } satisfies Record<Rejection["kind"], string>,
} as const;

const rejectionWords: Record<Rejection["kind"], string> = {
  token: "tokens",
  row: "turns",
  veto: "veto",
  secondMoment: "second moment",
  drift: "drift",
};
const proximalWords: Record<Correction["proximal"], string | undefined> = {
  recomputed: undefined,
  sampler: "bypass",
  interpolated: "interpolated",
};

/** A short description of a correction: "truncated token weight + rejects turns". */
function describeCorrection({ proximal, weight, reject, step }: Correction): string {
  const proximalWord = proximalWords[proximal];
  const parts = [
    ...(proximalWord === undefined ? [] : [proximalWord]),
    ...(weight ? [`${weightWords[weight.kind]} ${levelWords[weight.level]} weight`] : []),
    ...(reject.length > 0
      ? [`rejects ${[...new Set(reject.map(({ kind }) => rejectionWords[kind]))].join(", ")}`]
      : []),
    ...(step ? ["scaled step"] : []),
  ];
  return parts.length === 0 ? "no correction" : parts.join(" + ");
}

const additionWords: Readonly<Record<string, string>> = { mask: ", masked", correction: ", corrected" };

/**
 * Title of a level from `factorLevels` ("sequence+mask") in the words of the builder's cards: "Turn clip, masked".
 * Other trainers' levels keep their own name.
 */
export function titleOfLevel(dimension: DimensionId, level: string): string {
  const [id = "", ...additions] = level.split("+");
  const known = dimensionTexts.find((one) => one.id === dimension)?.levels.find((one) => one.id === id);
  return (known?.title ?? id) + additions.map((one) => additionWords[one] ?? `, ${one}`).join("");
}
