import { z } from "zod";
import { offPolicyClippings } from "./offPolicyClipping.ts";

/**
 * Schemas of the four design dimensions of a policy-gradient method (ARLArena, arXiv 2602.21534): loss aggregation,
 * importance-sampling clipping, advantage design, dynamic sampling. Each dimension is a union of kinds, and a method
 * is one combination of kinds.
 */

const range = (min: number, max: number, title: string) => z.number().min(min).max(max).meta({ title });

/** Level at which the loss is averaged over response tokens. "Seq" means one training row. */
export const Aggregation = z.enum([
  "tokenMean",
  "seqMeanTokenMean",
  "seqMeanTokenSum",
  "seqMeanTokenSumNorm",
  "tokenSum",
]);
export type Aggregation = z.infer<typeof Aggregation>;

/** Sequence masking: drops rows with negative advantage whose mean log-probability fell by more than `delta`. */
export const SequenceMask = z.strictObject({ delta: range(0, 10, "Sequence-mask threshold δ (nats/token)") });
export type SequenceMask = z.infer<typeof SequenceMask>;

const sequenceMask = SequenceMask.nullable().default(null);
const low = range(0, 1, "Clip range below 1");
const high = range(0, 10, "Clip range above 1");
/** Dual-clip bound: upper bound of the ratio where the advantage is negative; null switches the dual clip off. */
const dual = range(1, 100, "Dual-clip bound").nullable().default(3);
const covarianceShare = range(0, 1, "Fraction of tokens selected by covariance").default(2e-4);

/** Schema of the bound on the ratio π_θ/π_old. Ranges are half-widths: clipped to [1 − low, 1 + high]. */
export const Clipping = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("token"),
    low,
    high,
    dual,
    sequenceMask,
    /** Upper bound of the ratio for all advantages, instead of the dual clip; if absent, there is none. */
    twoSided: range(1, 100, "Upper bound of the ratio (two-sided clip)").exactOptional(),
  }),
  z.strictObject({
    kind: z.literal("sequence"),
    low,
    high,
    /** Advantage of a token: its row's mean (`row`, GSPO), or its own (`token`). They differ only with a critic. */
    credit: z.enum(["row", "token"]).default("row"),
  }),
  z.strictObject({
    kind: z.literal("sapo"),
    tauPositive: range(0.01, 100, "Temperature for positive advantages"),
    tauNegative: range(0.01, 100, "Temperature for negative advantages"),
    sequenceMask,
  }),
  z.strictObject({ kind: z.literal("cispo"), low, high, sequenceMask }),
  z.strictObject({
    kind: z.literal("aepo"),
    low,
    high,
    dual,
    entropyWeight: range(0, 10, "Weight of token entropy in the advantage").default(0.2),
  }),
  z.strictObject({
    kind: z.literal("geometricMean"),
    low: range(0, 10, "Clip range of the log-ratio below 0").default(0.4),
    high: range(0, 10, "Clip range of the log-ratio above 0").default(0.4),
  }),
  z.strictObject({
    kind: z.literal("clipCov"),
    low,
    high,
    share: covarianceShare,
    covarianceLow: range(-1e6, 1e6, "Smallest covariance of clipped tokens").default(1),
    covarianceHigh: range(-1e6, 1e6, "Largest covariance of clipped tokens").default(5),
  }),
  z.strictObject({
    kind: z.literal("klCov"),
    share: covarianceShare,
    /** Weight of the KL penalty on selected tokens: 1 in the paper, 0.1 in verl's configuration (`ppo_kl_coef`). */
    weight: range(0, 100, "Weight of the penalty on selected tokens (paper 1, verl 0.1)").default(1),
  }),
  ...offPolicyClippings,
]);
export type Clipping = z.infer<typeof Clipping>;

const scale = z.enum(["groupStd", "none"]).default("groupStd");

export const Advantage = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("group"),
    scale,
    /** Unit of one sample in a group's statistics: every turn (as in the paper's code), or every episode. */
    samples: z.enum(["turns", "episodes"]).default("turns"),
  }),
  z.strictObject({ kind: z.literal("rloo") }),
  z.strictObject({
    kind: z.literal("reinforcePlusPlus"),
    baseline: z.enum(["none", "group"]).default("none"),
    /** Discount γ over the tokens of a row (verl `algorithm.gamma`). If absent, as in older specifications, it is 1. */
    gamma: range(0, 1, "Discount γ of returns (1 if not set)").exactOptional(),
  }),
  z.strictObject({
    kind: z.literal("gae"),
    gamma: range(0, 1, "Discount γ").default(1),
    lambda: range(0, 1, "GAE λ").default(1),
    /** Bi-level GAE: discounts over turns by `gamma`, then over tokens inside turns (RAGEN); null: only tokens. */
    turns: z
      .strictObject({
        gamma: range(0, 1, "Discount over turns γ").default(0.95),
        lambda: range(0, 1, "λ over turns").default(1),
      })
      .nullable()
      .default(null),
    valueClip: range(0, 1000, "Value clip range").default(0.5),
    /** Learning rate of the critic. If null, it is ten times the policy's, as in verl-agent's scripts. */
    criticLearningRate: range(0, 1, "Critic learning rate").nullable().default(null),
    criticWarmupIterations: z.int().min(0).max(100_000).meta({ title: "Critic warm-up (iterations)" }).default(0),
  }),
  z.strictObject({
    kind: z.literal("gigpo"),
    scale,
    stepWeight: range(0, 100, "Weight ω of the step advantage").default(1),
    gamma: range(0, 1, "Discount γ of step returns").default(0.95),
    /** Minimum similarity in [0, 1] of two state texts that count as the same state; null: only identical texts do. */
    similarity: range(0.5, 1, "State similarity").nullable().default(null),
  }),
  z.strictObject({
    kind: z.literal("empg"),
    scale,
    k: range(0, 100, "Gradient-scaling sharpness k").default(1),
    kFuture: range(0, 100, "Future-clarity sharpness k′").default(1),
    zeta: range(0, 10, "Weight ζ of the future-clarity bonus").default(0.05),
  }),
  z.strictObject({ kind: z.literal("opo") }),
  /** Divides by the population standard deviation, as `hgpo` does; other kinds use the sample standard deviation. */
  z.strictObject({ kind: z.literal("opob"), scale }),
  z.strictObject({ kind: z.literal("remax") }),
  z.strictObject({ kind: z.literal("passK"), scale }),
  z.strictObject({ kind: z.literal("gpg") }),
  z.strictObject({ kind: z.literal("maxRl") }),
  z.strictObject({
    kind: z.literal("hgpo"),
    scale,
    gamma: range(0, 1, "Discount γ of step returns").default(0.95),
    history: z.int().min(0).max(16).meta({ title: "Earlier states in a context (K)" }).default(2),
    alpha: range(0, 10, "Power α of a context's length").default(1),
    /** Adds the episode's advantage as a comparison without a common state; if absent, it is not added. */
    base: z.boolean().meta({ title: "Add the episode's advantage" }).exactOptional(),
  }),
]);
export type Advantage = z.infer<typeof Advantage>;

const signalOf = z.enum(["reward", "success"]);

/** Schema of the filter that selects groups. Spread means the standard deviation of a group's episode rewards. */
export const Sampling = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("all") }),
  z.strictObject({
    kind: z.literal("dynamic"),
    /** Maximum rounds of fresh tasks. After the last round, groups with equal rewards fill up the batch. */
    maxTries: z.int().min(1).max(100).meta({ title: "Max generation tries" }).default(3),
    /** Number of first iterations without filtering. */
    coldStartIterations: z.int().min(0).max(100_000).meta({ title: "Iterations before filtering starts" }).default(0),
  }),
  z.strictObject({
    kind: z.literal("oversample"),
    /** Number of tasks in one sampling round, as a multiple of the number of groups that the update needs. */
    factor: z.int().min(1).max(16).meta({ title: "Tasks per generation try (× groups)" }).default(3),
    maxTries: z.int().min(1).max(100).meta({ title: "Max generation tries" }).default(10),
    signal: signalOf.default("success"),
  }),
  z.strictObject({
    kind: z.literal("minSpread"),
    spread: range(0, 1e6, "Max spread of a dropped group").default(1e-6),
  }),
  z.strictObject({
    kind: z.literal("topSpread"),
    share: range(0.001, 1, "Share of groups kept, widest spread first").default(0.25),
  }),
  z.strictObject({
    kind: z.literal("topVarianceMass"),
    mass: range(0.001, 1, "Share of the total variance kept, largest variance first").default(0.9),
    /** Groups with a reward variance of at most this value are dropped before the total variance is computed. */
    minVariance: range(0, 1e6, "Max variance that counts as zero").default(0.01),
    /** Dependence of the factor on the policy loss on the fraction of kept groups. */
    lossScale: z.enum(["none", "linear", "sqrt"]).default("none"),
  }),
]);
export type Sampling = z.infer<typeof Sampling>;
