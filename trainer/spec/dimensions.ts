import { z } from "zod";

/**
 * The four design dimensions of a policy-gradient method (ARLArena, arXiv 2602.21534):
 * loss aggregation, importance-sampling clipping, advantage design, dynamic sampling.
 * Each is a union; a method is one point in their product.
 */

const range = (min: number, max: number, title: string) => z.number().min(min).max(max).meta({ title });

/** Where the mean over response tokens is taken. "Sequence" means one training row, that is one turn. */
export const Aggregation = z.enum(["tokenMean", "seqMeanTokenMean", "seqMeanTokenSum", "seqMeanTokenSumNorm"]);
export type Aggregation = z.infer<typeof Aggregation>;

/** Drops rows whose advantage is negative and which the policy has already made less likely by more than `delta` nats a token. */
export const SequenceMask = z.strictObject({ delta: range(0, 10, "Sequence-mask threshold δ (nats/token)") });
export type SequenceMask = z.infer<typeof SequenceMask>;

const sequenceMask = SequenceMask.nullable().default(null);

/** What bounds the importance ratio π_θ/π_old. Ranges are half-widths: the ratio is kept in [1 − low, 1 + high]. */
export const Clipping = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("token"),
    low: range(0, 1, "Clip range below 1"),
    high: range(0, 10, "Clip range above 1"),
    /** Upper bound of the ratio for negative advantages (dual clip); null switches it off. */
    dual: range(1, 100, "Dual-clip bound").nullable().default(3),
    sequenceMask,
  }),
  z.strictObject({
    kind: z.literal("sequence"),
    low: range(0, 1, "Clip range below 1"),
    high: range(0, 10, "Clip range above 1"),
  }),
  z.strictObject({
    kind: z.literal("sapo"),
    tauPositive: range(0.01, 100, "Temperature for positive advantages"),
    tauNegative: range(0.01, 100, "Temperature for negative advantages"),
    sequenceMask,
  }),
  z.strictObject({
    kind: z.literal("cispo"),
    low: range(0, 1, "Clip range below 1"),
    high: range(0, 10, "Clip range above 1"),
    sequenceMask,
  }),
]);
export type Clipping = z.infer<typeof Clipping>;

const scale = z.enum(["groupStd", "none"]).default("groupStd");

/** How a row's reward becomes its advantage. */
export const Advantage = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("group"),
    scale,
    /** `turns`: every row is one sample of its group (the paper's code); `episodes`: one sample per episode. */
    samples: z.enum(["turns", "episodes"]).default("turns"),
  }),
  z.strictObject({ kind: z.literal("rloo") }),
  z.strictObject({
    kind: z.literal("reinforcePlusPlus"),
    baseline: z.enum(["none", "group"]).default("none"),
  }),
  z.strictObject({
    kind: z.literal("gae"),
    gamma: range(0, 1, "Discount γ").default(1),
    lambda: range(0, 1, "GAE λ").default(1),
    valueCoef: range(0, 10, "Value-loss weight").default(0.5),
    valueClip: range(0, 10, "Value clip range").default(0.5),
    criticLearningRate: range(0, 1, "Critic learning rate").default(1e-5),
  }),
  z.strictObject({
    kind: z.literal("gigpo"),
    scale,
    stepWeight: range(0, 100, "Weight ω of the step advantage").default(1),
    gamma: range(0, 1, "Discount γ of step returns").default(0.95),
  }),
  z.strictObject({
    kind: z.literal("empg"),
    scale,
    k: range(0, 100, "Gradient-scaling sharpness k").default(1),
    kFuture: range(0, 100, "Future-clarity sharpness k′").default(1),
    zeta: range(0, 10, "Weight ζ of the future-clarity bonus").default(0.05),
  }),
]);
export type Advantage = z.infer<typeof Advantage>;

/** Which groups of rollouts reach the update. */
export const Sampling = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("all") }),
  z.strictObject({
    kind: z.literal("dynamic"),
    /** Rounds of fresh tasks at most; the last round fills up with uniform groups. */
    maxTries: z.int().min(1).max(100).meta({ title: "Generation tries at most" }).default(3),
    /** Iterations before filtering starts. */
    coldStartIterations: z.int().min(0).max(100_000).meta({ title: "Iterations before filtering starts" }).default(0),
  }),
]);
export type Sampling = z.infer<typeof Sampling>;
