import type { Advantage, Aggregation, Clipping, Sampling, SequenceMask } from "./dimensions.ts";

/**
 * What follows from a kind beside its formula, as data. A kind that is added to a dimension states all of it here,
 * because the compiler asks for the row; code elsewhere reads the trait and compares no kinds.
 */
export type ClippingTraits = {
  /** Whose ratio is held against the range and counted: each token's, or one of the whole row (GSPO Eq. 7). */
  ratio: "token" | "row";
  /** What `low` and `high` bound: the ratio, within [1 − low, 1 + high], or its logarithm, within [−low, high]; null: no range. */
  range: "ratio" | "logRatio" | null;
  /** When the loss counts as clipped. `pushed`: out of the range on the side that the advantage pushes to. */
  clips: "pushed" | "outside" | "never";
  /** What the kind decides on over all tokens of a mini-batch, under the current policy, before the loss is built. */
  signal: "entropy" | "covariance" | "turns" | null;
  /** Whether correction weights enter the kind's own weight of a row, and so do not multiply its loss. */
  takesWeights: boolean;
  /** `row`: one loss for a whole row, and with it one importance weight and no mean over micro-batches. */
  loss: "token" | "row";
  /** The aggregation of the policy term that acts whatever was asked for (as in verl); null: the method's. */
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
/** Nothing is held against a range of ratios. */
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
  /** Whether the tokens of a row can differ: under a critic, and where returns run on from token to token. */
  credit: "row" | "token";
  /** A learned baseline: a second network of the policy's size. */
  hasCritic: boolean;
  /** Undefined in a group of one. */
  needsPeers: boolean;
  /**
   * What it reads beside rewards: the state that a turn began in, the policy's entropy, a critic's values, the greedy episode's
   * score, the norm of a row's gradient and its ratio to the sampler.
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
  /** Compares the episodes of a group with each other: a group of one says nothing. */
  comparesGroup: boolean;
  /** Generates until enough groups are found, so that a run's number of episodes is not known before. */
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

/** What a clipping reads of the current policy before its loss is built; ASPO does only with a second range. */
export function signalOf(clipping: Clipping): ClippingTraits["signal"] {
  if (clipping.kind === "aspo" && clipping.lowWide === undefined && clipping.highWide === undefined) return null;
  return clippingTraits[clipping.kind].signal;
}

/** The sequence mask of a clipping; null where it has none or its kind knows none. */
export function sequenceMaskOf(clipping: Clipping): SequenceMask | null {
  return "sequenceMask" in clipping ? clipping.sequenceMask : null;
}
