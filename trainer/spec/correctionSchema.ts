import { z } from "zod";

/**
 * Schemas of the off-policy correction, for a sampler that differs from the trained policy because its weights are
 * older or less precise. Three policies occur: the behaviour policy μ that sampled the tokens, the proximal policy
 * π_old at the centre of the clip range, and the current π_θ. With x = log π_old − log μ, a correction weights tokens
 * by e^x, excludes some tokens, or replaces π_old by μ.
 */

const bound = (title: string) => z.number().min(0).max(1e9).nullable().default(null).meta({ title });
/** Fields of a closed interval; null means that there is no bound on that side. */
const bounds = { low: bound("Lowest"), high: bound("Highest") };

const weighed = {
  /** Level of the importance weight: e^x of the token, e to the sum of x over the row, or e to its mean. */
  level: z.enum(["token", "row", "geometric"]).meta({ title: "Level of the weight" }).default("token"),
  /** If true, every weight is divided by the mean weight of the whole batch, over tokens or rows. */
  normalise: z.boolean().meta({ title: "Divide weights by their mean" }).default(false),
};

/** Schema of the importance weight ω that multiplies a token's loss, without gradient. */
export const CorrectionWeight = z.discriminatedUnion("kind", [
  /** Clamps the weight to the bounds (truncated importance sampling). */
  z.strictObject({ kind: z.literal("clip"), ...bounds, ...weighed }),
  /** Sets the weight to 0 outside the bounds (IcePop, masked importance sampling). */
  z.strictObject({ kind: z.literal("zero"), ...bounds, ...weighed }),
  z.strictObject({ kind: z.literal("raw"), ...weighed }),
]);
export type CorrectionWeight = z.infer<typeof CorrectionWeight>;

/** Statistic of x = log π_old − log μ: `ratio` is e^x; `k2` (x²/2) and `k3` (e^x − 1 − x) estimate KL(μ ‖ π_old). */
const statistic = z.enum(["ratio", "k2", "k3"]).meta({ title: "Statistic" }).default("ratio");

/** Schema of a rule that excludes tokens or rows from the policy loss: those whose value is outside the bounds. */
export const Rejection = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("token"), statistic, ...bounds }),
  z.strictObject({
    kind: z.literal("row"),
    statistic,
    /** Reduction over a row's tokens. Ratios are reduced in logarithms: `sum` is their product, `mean` geometric. */
    reduce: z.enum(["sum", "mean", "max"]).meta({ title: "Reduction over a row's tokens" }).default("mean"),
    ...bounds,
  }),
  /** Excludes the whole row if the ratio of one of its tokens is outside the bounds. */
  z.strictObject({ kind: z.literal("veto"), ...bounds }),
  /** M2PO: excludes the tokens with the largest squared log-ratio x², until the mean x² is below the threshold. */
  z.strictObject({
    kind: z.literal("secondMoment"),
    threshold: z.number().gt(0).max(1e6).meta({ title: "Max second moment (nats²)" }).default(0.04),
  }),
  /** Excludes rows with negative advantage whose mean log-probability fell by more than `delta` (DeepSeek-V3.2). */
  z.strictObject({
    kind: z.literal("drift"),
    delta: z.number().min(0).max(10).meta({ title: "Max drift (nats/token)" }).default(0.05),
    anchor: z.enum(["old", "sampler"]).meta({ title: "Drift relative to" }).default("sampler"),
  }),
]);
export type Rejection = z.infer<typeof Rejection>;

export const Correction = z.strictObject({
  /**
   * Source of the proximal policy π_old. `recomputed`: the trainer computes it at the start of the update. `sampler`:
   * μ replaces π_old, so one ratio replaces two. `interpolated`: between μ and the current policy, depending on the
   * row's staleness.
   */
  proximal: z
    .enum(["recomputed", "sampler", "interpolated"])
    .meta({ title: "Proximal policy", description: "Policy in the denominator of the clipped importance ratio." })
    .default("recomputed"),
  weight: CorrectionWeight.nullable().default(null),
  reject: z.array(Rejection).max(4).meta({ title: "Rejections" }).default([]),
  denominator: z
    .enum(["kept", "all"])
    .meta({
      title: "Averaged over",
      description:
        "Tokens and training rows over which the loss is averaged: only those that are not rejected (kept), or all.",
    })
    .default("kept"),
  /** Scales the learning rate of a minibatch by its normalised effective sample size (VCPO); null switches this off. */
  step: z
    .strictObject({
      kind: z.literal("ess"),
      rule: z.enum(["sqrt", "linear"]).meta({ title: "Rule" }).default("sqrt"),
      base: z.number().gt(0).max(1).meta({ title: "Normalised ESS for the full step" }).default(1),
      cap: z.number().gt(0).max(1e9).nullable().meta({ title: "Max weight" }).default(null),
    })
    .nullable()
    .default(null),
});
export type Correction = z.infer<typeof Correction>;
