import type { Correction, CorrectionWeight, Rejection } from "#trainer/spec/correction.ts";
import type { Advantage, Aggregation, Clipping, Sampling } from "#trainer/spec/dimensions.ts";
import type { Method } from "#trainer/spec/method.ts";
import { sequenceMaskOf } from "#trainer/spec/traits.ts";

/** One choice in a dimension, as shown on the sweep builder's cards and in legends. */
export type Level = {
  /** Id of the choice: the `kind` of a clipping, advantage or sampling, or the name of an aggregation. */
  id: string;
  title: string;
  /** Short name of the choice, for the legend names of grid points. */
  short: string;
  sentence: string;
};

/** Names of a policy gradient's four dimensions, without the derived field and the correction. */
export type DimensionId = Exclude<keyof Method, "penaltyAggregation" | "correction">;

export type Dimension = { id: DimensionId; title: string; question: string; levels: readonly Level[] };

const level = (title: string, sentence: string, short = title.toLowerCase()) => ({ title, short, sentence });
type Words = ReturnType<typeof level>;

export const aggregationTexts: Record<Aggregation, Words> = {
  tokenMean: level("Token mean", "One mean over all response tokens. Long turns weigh more than short turns."),
  seqMeanTokenMean: level(
    "Turn mean",
    "Mean over each turn's tokens, then mean over turns. Every turn weighs the same.",
  ),
  seqMeanTokenSum: level(
    "Turn sum",
    "Sum over each turn's tokens, then mean over turns. Longer turns have larger gradients.",
  ),
  seqMeanTokenSumNorm: level(
    "Turn sum, constant norm",
    "Sum over each turn's tokens, divided by the length limit. Neither short nor long turns are favoured.",
    "norm sum",
  ),
  tokenSum: level("Token sum", "Sum over all response tokens. The gradient grows with the size of the batch."),
};

export const clippingTexts: Record<Clipping["kind"], Words> = {
  token: level("Token clip", "Each token's importance ratio is clipped to the clip range, as in PPO and GRPO."),
  sequence: level("Turn clip", "One length-normalised importance ratio per turn is clipped, as in GSPO."),
  sapo: level(
    "Soft gate",
    "A smooth sigmoid of the ratio replaces the hard clip, as in SAPO. Gradients shrink away from ratio 1, but never vanish.",
  ),
  cispo: level(
    "Clipped weight",
    "The clipped ratio is a constant weight on each token's gradient, as in CISPO. Every token keeps a gradient.",
  ),
  aepo: level(
    "Entropy-aware clip",
    "High-entropy tokens weigh more, and low-entropy tokens keep a gradient even above the clip range, as in AEPO.",
  ),
  geometricMean: level(
    "Geometric mean",
    "Uses the geometric mean of a turn's clipped token ratios, as in GMPO. A single outlier token has little influence.",
  ),
  clipCov: level(
    "Covariance clip",
    "Some tokens with a high covariance of log-probability and advantage lose their gradient, as in Clip-Cov.",
    "clip-cov",
  ),
  klCov: level(
    "Covariance penalty",
    "No ratio is clipped. Tokens with a high covariance of log-probability and advantage get a KL penalty, as in KL-Cov.",
    "KL-cov",
  ),
  divergence: level(
    "Divergence mask",
    "A token loses its gradient once its probability differs too much from its old probability, as in DPPO. Rare tokens may change by larger ratios than a ratio clip allows.",
  ),
  quadratic: level(
    "Quadratic penalty",
    "A quadratic penalty on the ratio's deviation from 1 replaces the clip, as in DRPO and Simple Policy Optimization. The gradient shrinks away from ratio 1, and changes sign beyond the trust region.",
  ),
  quadraticLog: level(
    "Squared log-ratio",
    "A plain policy gradient with a penalty on the squared log-ratio, as in DRO.",
  ),
  vespo: level(
    "Variational weight",
    "Each turn has a smooth weight that depends on the turn's ratio and is largest near ratio 1, as in VESPO.",
  ),
  aspo: level(
    "Asymmetric ratio",
    "Tokens with positive advantage use the inverse ratio, as in ASPO. Tokens that are already likelier than under the old policy count less.",
  ),
  gradientPreserving: level(
    "Gradient-preserving clip",
    "Tokens outside the clip range keep a bounded gradient, as in CE-GPPO.",
    "gradient-preserving",
  ),
  turn: level(
    "Turn ratio in a transcript",
    "One importance ratio per turn, for training rows that are whole episodes.",
    "transcript turn clip",
  ),
  score: level(
    "Plain policy gradient",
    "Policy gradient without an importance ratio, as in GPG and REINFORCE.",
    "score",
  ),
  ratio: level(
    "Unclipped ratio",
    "The importance ratio has no clip range. Only the mask of a correction limits the ratio.",
    "unclipped",
  ),
};

const advantageTexts: Record<Advantage["kind"], Words> = {
  group: level("Group-relative", "Return minus the group's mean, divided by the group's standard deviation.", "group"),
  rloo: level("Leave one out", "Return minus the mean return of the other episodes of the group.", "RLOO"),
  reinforcePlusPlus: level(
    "Batch-whitened",
    "Returns are normalised over the whole batch instead of per group.",
    "R++",
  ),
  gae: level("Critic (GAE)", "A learned value function is the baseline, as in PPO.", "GAE"),
  gigpo: level(
    "Group in group",
    "Adds an advantage that compares the turns of a group that started from the same state.",
    "GiGPO",
  ),
  empg: level("Entropy-modulated", "Scales advantages by the policy's confidence at each turn.", "EMPG"),
  opo: level("Length-weighted baseline", "Return minus the group's length-weighted mean return, as in OPO.", "OPO"),
  opob: level(
    "Variance-optimal baseline",
    "Return minus the group's mean return, weighted by gradient norm and ratio to the sampler, as in VCPO.",
    "OPOB",
  ),
  remax: level(
    "Greedy baseline",
    "Return minus the return of a greedy episode of the same task, as in ReMax.",
    "ReMax",
  ),
  passK: level(
    "Best of the group",
    "Only the best episode of a group has an advantage: its return minus the second-best return.",
    "pass@k",
  ),
  gpg: level(
    "Scaled by signal",
    "Return minus the group's mean, divided by the fraction of training rows with a non-zero return.",
    "GPG",
  ),
  maxRl: level(
    "Relative to the mean",
    "Return minus the group's mean, divided by that mean. Successes count most in groups where they are rare.",
    "MaxRL",
  ),
  hgpo: level(
    "Hierarchy of groups",
    "Compares turns of a group whose most recent states are equal. A longer shared history gives a comparison more weight.",
    "HGPO",
  ),
};

const samplingTexts: Record<Sampling["kind"], Words> = {
  all: level(
    "Keep all",
    "All groups are used in the update. Groups whose episodes have equal rewards give no gradient.",
    "all groups",
  ),
  dynamic: level("Dynamic", "Groups whose episodes have equal rewards are replaced by newly sampled groups."),
  oversample: level(
    "Oversample",
    "Samples more tasks than needed and drops groups with equal rewards until enough are left, as in DAPO's recipe.",
  ),
  minSpread: level("Drop uniform", "Groups with nearly equal rewards are dropped and not replaced, as in slime."),
  topSpread: level("Widest share", "Keeps the fraction of groups with the highest reward spread, as in StarPO-S."),
  topVarianceMass: level(
    "Variance mass",
    "Keeps the groups with the largest reward variances, up to a share of the total variance, as in RAGEN v2.",
  ),
};

const toLevels = (words: Record<string, Words>): Level[] =>
  Object.entries(words).map(([id, texts]) => ({ id, ...texts }));

/** Titles of the four dimensions and one sentence for each choice, in the paper's order. */
export const dimensionTexts: readonly Dimension[] = [
  {
    id: "aggregation",
    title: "Loss aggregation",
    question: "How are token losses averaged or summed into one loss?",
    levels: toLevels(aggregationTexts),
  },
  {
    id: "clipping",
    title: "Ratio clipping",
    question: "How is the change of the policy in an update limited?",
    levels: toLevels(clippingTexts),
  },
  {
    id: "advantage",
    title: "Advantage design",
    question: "Which baseline is an episode or turn compared with?",
    levels: toLevels(advantageTexts),
  },
  {
    id: "sampling",
    title: "Dynamic sampling",
    question: "Which groups of episodes are used in the update?",
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
/** Titles of the components of an off-policy correction, for the menus of the sweep builder. */
export const correctionTitles = {
  proximal: {
    recomputed: "Recomputed by the trainer",
    sampler: "Sampling policy (bypass)",
    interpolated: "Interpolated by staleness",
  } satisfies Record<Correction["proximal"], string>,
  denominator: { kept: "Kept tokens", all: "All tokens" } satisfies Record<Correction["denominator"], string>,
  weight: { clip: "Truncated", zero: "Masked out of bounds", raw: "Unbounded" } satisfies Record<
    CorrectionWeight["kind"],
    string
  >,
  reject: {
    token: "Tokens out of bounds",
    row: "Turns out of bounds",
    veto: "Turns with a token out of bounds",
    secondMoment: "Tokens with the largest log-ratios (M2PO)",
    drift: "Failed turns that drifted",
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

/** Returns a level's title: "sequence+mask" becomes "Turn clip, masked". External trainers' levels keep their name. */
export function titleOfLevel(dimension: DimensionId, level: string): string {
  const [id = "", ...additions] = level.split("+");
  const known = dimensionTexts.find((one) => one.id === dimension)?.levels.find((one) => one.id === id);
  return (known?.title ?? id) + additions.map((one) => additionWords[one] ?? `, ${one}`).join("");
}
