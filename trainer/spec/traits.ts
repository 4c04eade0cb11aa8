import type { Advantage, Aggregation, Clipping, Sampling, SequenceMask } from "./dimensions.ts";

/**
 * Properties of each `kind` of clipping, advantage and sampling, as data. Every kind must have an entry below, or the
 * records do not compile. Other code reads these properties instead of comparing kinds.
 */
export type ClippingTraits = {
  /** Unit whose ratio is compared with the clip range and counted: each token, or the whole row (GSPO Eq. 7). */
  ratio: "token" | "row";
  /**
   * Quantity that the range bounds: the ratio, within [1 − low, 1 + high], or its logarithm, within [−low, high]; null
   * if the kind has no range.
   */
  range: "ratio" | "logRatio" | null;
  /**
   * Condition under which a token's loss is clipped. `pushed`: its ratio is outside the range on the side that the
   * advantage pushes to.
   */
  clips: "pushed" | "outside" | "never";
  /**
   * Statistic of the current policy over a minibatch's tokens that the kind needs before the loss is built; null if
   * none.
   */
  signal: "entropy" | "covariance" | "turns" | null;
  /**
   * True if the kind includes the correction weights in its own weight of a row, so that they do not multiply the loss.
   */
  takesWeights: boolean;
  /**
   * `row`: a whole row has one loss and one importance weight, so the loss cannot be averaged by parts
   * (`denominatorRows`).
   */
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
/** Properties of clipping kinds without a clip range. */
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
  /** `token`: advantages can differ within a row, because of a critic or of returns that continue across tokens. */
  credit: "row" | "token";
  /** True if the baseline is learned by a critic: a second network of the policy's size. */
  hasCritic: boolean;
  /** True if the advantage is undefined in a group of one episode. */
  needsPeers: boolean;
  /**
   * Inputs besides rewards: a turn's first state, the policy's entropy, the critic's values, the greedy episode's
   * score, or a row's gradient norm and sampler ratio.
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
  /** True if the kind compares the episodes of a group, so that a group of one episode has no information. */
  comparesGroup: boolean;
  /** True if episodes are sampled until there are enough groups, so that their number is not known in advance. */
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

/** Per-token input that a clipping needs. ASPO needs one only if it has a second range. */
export function signalOf(clipping: Clipping): ClippingTraits["signal"] {
  if (clipping.kind === "aspo" && clipping.lowWide === undefined && clipping.highWide === undefined) return null;
  return clippingTraits[clipping.kind].signal;
}

/** Sequence mask of a clipping; null if it has none or its kind has no such field. */
export function sequenceMaskOf(clipping: Clipping): SequenceMask | null {
  return "sequenceMask" in clipping ? clipping.sequenceMask : null;
}
