import { z } from "zod";

/**
 * What a method does about its sampler being another policy than the one that learns: older weights, less precision.
 * Three policies: the behaviour policy μ that wrote the tokens, the proximal policy π_old that the clip range is around,
 * and the current π_θ. With x = log π_old − log μ, a correction weighs tokens by e^x, leaves some out, or takes μ for π_old.
 */

const bound = (title: string) => z.number().min(0).max(1e9).nullable().default(null).meta({ title });
/** A closed interval; null is no bound. */
const bounds = { low: bound("Lowest"), high: bound("Highest") };

const weighed = {
  /** e^x of the token, of the sum over its row, or of the mean over its row. */
  level: z.enum(["token", "row", "geometric"]).meta({ title: "Level of the weight" }).default("token"),
  /** Divides by the mean weight of the whole batch, over tokens or rows. */
  normalise: z.boolean().meta({ title: "Divided by its mean" }).default(false),
};

/** ω, a constant factor of a token's loss. */
export const CorrectionWeight = z.discriminatedUnion("kind", [
  /** Held within the bounds: truncated importance sampling. */
  z.strictObject({ kind: z.literal("clip"), ...bounds, ...weighed }),
  /** 0 outside the bounds, as it is inside: IcePop, masked importance sampling. */
  z.strictObject({ kind: z.literal("zero"), ...bounds, ...weighed }),
  z.strictObject({ kind: z.literal("raw"), ...weighed }),
]);
export type CorrectionWeight = z.infer<typeof CorrectionWeight>;

/** `ratio` e^x; `k2` x²/2 and `k3` e^x − 1 − x, estimates of KL(μ ‖ π_old) in nats. */
const statistic = z.enum(["ratio", "k2", "k3"]).meta({ title: "Statistic" }).default("ratio");

/** What of the batch takes no part in the policy loss. Bounds are of what is kept. */
export const Rejection = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("token"), statistic, ...bounds }),
  z.strictObject({
    kind: z.literal("row"),
    statistic,
    /** Over the row's tokens; of a ratio, that of the logarithms: `sum` is the row's product, `mean` its geometric mean. */
    reduce: z.enum(["sum", "mean", "max"]).meta({ title: "Reduced by" }).default("mean"),
    ...bounds,
  }),
  /** The whole row, where one token's ratio is outside. */
  z.strictObject({ kind: z.literal("veto"), ...bounds }),
  /** Tokens of the largest x², until the mean of the others is below the threshold (M2PO). */
  z.strictObject({
    kind: z.literal("secondMoment"),
    threshold: z.number().gt(0).max(1e6).meta({ title: "Second moment at most (nats²)" }).default(0.04),
  }),
  /** Rows of negative advantage that the policy made less likely by more than δ (DeepSeek-V3.2). */
  z.strictObject({
    kind: z.literal("drift"),
    delta: z.number().min(0).max(10).meta({ title: "Drift at most (nats/token)" }).default(0.05),
    anchor: z.enum(["old", "sampler"]).meta({ title: "Drift from" }).default("sampler"),
  }),
]);
export type Rejection = z.infer<typeof Rejection>;

export const Correction = z.strictObject({
  /**
   * `recomputed`: the trainer's own pass at the start of the update; `sampler`: μ itself, one ratio in place of two;
   * `interpolated`: between μ and the current policy, by the age of the row.
   */
  proximal: z
    .enum(["recomputed", "sampler", "interpolated"])
    .meta({ title: "Proximal policy", description: "What the clip range is around." })
    .default("recomputed"),
  weight: CorrectionWeight.nullable().default(null),
  reject: z.array(Rejection).max(4).meta({ title: "Rejections" }).default([]),
  denominator: z
    .enum(["kept", "all"])
    .meta({ title: "Averaged over", description: "The tokens and rows that were kept, or all of them." })
    .default("kept"),
  /** Scales the learning rate of a mini-batch by its effective sample size (VCPO). */
  step: z
    .strictObject({
      kind: z.literal("ess"),
      rule: z.enum(["sqrt", "linear"]).meta({ title: "Rule" }).default("sqrt"),
      base: z.number().gt(0).max(1).meta({ title: "Effective share from which on the step is whole" }).default(1),
      cap: z.number().gt(0).max(1e9).nullable().meta({ title: "Weights counted at most as" }).default(null),
    })
    .nullable()
    .default(null),
});
export type Correction = z.infer<typeof Correction>;
