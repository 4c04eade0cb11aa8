import type { Advantage, Aggregation, Clipping, Sampling, SequenceMask } from "./dimensions.ts";

/**
 * Properties, as data, of each `kind` of clipping, advantage or sampling, besides its formula. The records below need an
 * entry for every kind, or they do not compile. Other code reads these properties instead of comparing kinds.
 */
export type ClippingTraits = {
  /** Ratio that is compared with the range and counted: each token's, or one of the whole row (GSPO Eq. 7). */
  ratio: "token" | "row";
  /** Bounded quantity: the ratio, within [1 − low, 1 + high], or its logarithm, within [−low, high]; null: no range. */
  range: "ratio" | "logRatio" | null;
  /** Condition for a clipped loss. `pushed`: out of range on the side that the advantage pushes to. */
  clips: "pushed" | "outside" | "never";
  /** Statistic over all tokens of a minibatch under the current policy that the kind needs before the loss is built. */
  signal: "entropy" | "covariance" | "turns" | null;
  /** True if correction weights enter the kind's own weight of a row, and therefore do not multiply its loss. */
  takesWeights: boolean;
  /** `row`: one loss for a whole row, with one importance weight and no mean over micro-batches. */
  loss: "token" | "row";
  /** The aggregation of the policy term that applies whatever the setting (as in verl); null: the method's. */
  fixesAggregation: Aggregation | null;
};

const ofTokens = {
  ratio: "token",
  range: "ratio",
  clips: "pushed",
  signal: null,
  takesWeights: false,
  loss: "token",
  fixesAggregation: null,
} as const satisfies ClippingTraits;
/** Traits of clipping kinds without a range of ratios. */
const unbounded = { ...ofTokens, range: null, clips: "never" } as const;

export const clippingTraits: Readonly<Record<Clipping["kind"], ClippingTraits>> = {
  token: ofTokens,
  sequence: { ...ofTokens, ratio: "row", fixesAggregation: "seqMeanTokenMean" },
  sapo: { ...ofTokens, range: null },
  cispo: { ...ofTokens, clips: "outside" },
  aepo: { ...ofTokens, signal: "entropy" },
  geometricMean: { ...ofTokens, range: "logRatio", loss: "row", fixesAggregation: "seqMeanTokenMean" },
  clipCov: { ...ofTokens, signal: "covariance" },
  klCov: { ...ofTokens, range: null, clips: "never", signal: "covariance" },
  divergence: unbounded,
  quadratic: unbounded,
  quadraticLog: unbounded,
  vespo: { ...unbounded, takesWeights: true },
  aspo: { ...ofTokens, signal: "entropy" },
  gradientPreserving: ofTokens,
  turn: { ...ofTokens, signal: "turns" },
  score: unbounded,
  ratio: unbounded,
};

export type AdvantageTraits = {
  /** `token`: advantages can differ within a row, with a critic or with returns that continue across tokens. */
  credit: "row" | "token";
  /** A learned baseline: a second network of the policy's size. */
  hasCritic: boolean;
  /** True if the advantage is undefined in a group of one. */
  needsPeers: boolean;
  /**
   * Inputs besides rewards: a turn's first state, the policy's entropy, a critic's values, the greedy episode's score,
   * or a row's gradient norm and ratio to the sampler.
   */
  reads: "anchor" | "entropy" | "values" | "greedyScore" | "gradientNorm" | null;
};

const ofRows = { credit: "row", hasCritic: false, needsPeers: false, reads: null } as const satisfies AdvantageTraits;

export const advantageTraits: Readonly<Record<Advantage["kind"], AdvantageTraits>> = {
  group: ofRows,
  rloo: { ...ofRows, needsPeers: true },
  reinforcePlusPlus: { ...ofRows, credit: "token" },
  gae: { ...ofRows, credit: "token", hasCritic: true, reads: "values" },
  gigpo: { ...ofRows, reads: "anchor" },
  empg: { ...ofRows, reads: "entropy" },
  opo: ofRows,
  opob: { ...ofRows, reads: "gradientNorm" },
  remax: { ...ofRows, reads: "greedyScore" },
  passK: ofRows,
  gpg: ofRows,
  maxRl: ofRows,
  hgpo: { ...ofRows, reads: "anchor" },
};

export type SamplingTraits = {
  /** True if it compares the episodes of a group, so that a group of one has no information. */
  comparesGroup: boolean;
  /** True if it generates until there are enough groups, so that the number of episodes is not known in advance. */
  isOpenEnded: boolean;
};

const ofGroups = { comparesGroup: true, isOpenEnded: false } as const satisfies SamplingTraits;

export const samplingTraits: Readonly<Record<Sampling["kind"], SamplingTraits>> = {
  all: { ...ofGroups, comparesGroup: false },
  dynamic: { ...ofGroups, isOpenEnded: true },
  oversample: { ...ofGroups, isOpenEnded: true },
  minSpread: ofGroups,
  topSpread: ofGroups,
  topVarianceMass: ofGroups,
};

/** The signal of a clipping. ASPO needs one only with a second range. */
export function signalOf(clipping: Clipping): ClippingTraits["signal"] {
  if (clipping.kind === "aspo" && clipping.lowWide === undefined && clipping.highWide === undefined) return null;
  return clippingTraits[clipping.kind].signal;
}

/** Sequence mask of a clipping; null if it has none or its kind has no such field. */
export function sequenceMaskOf(clipping: Clipping): SequenceMask | null {
  return "sequenceMask" in clipping ? clipping.sequenceMask : null;
}
