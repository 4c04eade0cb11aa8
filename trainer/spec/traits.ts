import type { Advantage, Aggregation, Clipping, Sampling, SequenceMask } from "./dimensions.ts";

/**
 * Properties of each kind of clipping. Every kind of clipping, advantage and sampling must have an entry in the
 * records below, or they do not compile. Other code reads these properties instead of comparing kinds.
 */
export type ClippingTraits = {
  /** Unit whose ratio is compared with the clip range: each token, or the whole row (GSPO Eq. 7). */
  ratio: "token" | "row";
  /** Quantity that the clip range bounds: the ratio, within [1 − low, 1 + high], or its logarithm; null: none. */
  range: "ratio" | "logRatio" | null;
  /** Condition for clipping a token: outside the range, and for `pushed` in the direction of the advantage. */
  clips: "pushed" | "outside" | "never";
  /** Statistic of the minibatch's tokens that the kind needs before the loss is built; null if none. */
  signal: "entropy" | "covariance" | "turns" | null;
  /** True if the kind has the importance weights ω in its own row weight, so that they do not multiply the loss. */
  takesWeights: boolean;
  /** Unit of a loss and an importance weight. With `row`, no loss is averaged by chunks of rows. */
  loss: "token" | "row";
  /** Aggregation of the policy term that the kind prescribes (as in verl); null if the method can choose. */
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
  /** Unit of an advantage. `token`: it can differ within a row, by a critic or returns across tokens. */
  credit: "row" | "token";
  /** True if a critic, a second network of the policy's size, learns the baseline. */
  hasCritic: boolean;
  /** True if a group of one episode has no defined advantage. */
  needsPeers: boolean;
  /** Inputs besides rewards: state, entropy, values, greedy score, or gradient norm and ratio to the sampler. */
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
  /** True if the sampling filter compares the episodes of a group, so that a group of one has no information. */
  comparesGroup: boolean;
  /** True if episodes are sampled until enough groups are kept, so that their number is not known in advance. */
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

/** Returns which per-token input a clipping needs, or null. ASPO needs one only if it has a wide range. */
export function signalOf(clipping: Clipping): ClippingTraits["signal"] {
  if (clipping.kind === "aspo" && clipping.lowWide === undefined && clipping.highWide === undefined) return null;
  return clippingTraits[clipping.kind].signal;
}

export function sequenceMaskOf(clipping: Clipping): SequenceMask | null {
  return "sequenceMask" in clipping ? clipping.sequenceMask : null;
}
