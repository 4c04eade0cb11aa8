import { z } from "zod";

/**
 * Schemas of clipping kinds for samplers that differ from the trained policy. Other clipping kinds are in
 * `dimensions.ts`.
 */

const range = (min: number, max: number, title: string) => z.number().min(min).max(max).meta({ title });
const low = range(0, 1, "Clip range below 1").default(0.2);
const high = range(0, 10, "Clip range above 1").default(0.2);
const dual = range(1, 100, "Bound of the factor").nullable().default(3);
/** Policy in the ratio's denominator: the trainer's before the update, or the sampler's; absent: the proximal one. */
const anchor = z.enum(["old", "sampler"]).meta({ title: "Ratio relative to" }).exactOptional();
const shape = (title: string) => range(0, 100, title);

export const offPolicyClippings = [
  /** Divergence mask instead of a clip range: no gradient for tokens whose probability moved too far (DPPO, IPO). */
  z.strictObject({
    kind: z.literal("divergence"),
    measure: z.enum(["tv", "binaryKl"]).meta({ title: "Divergence" }).default("tv"),
    low: range(0, 10, "Max divergence of falling probabilities").default(0.15),
    high: range(0, 10, "Max divergence of rising probabilities").default(0.15),
    /** Masked changes of probability: in the direction in which the advantage pushes, or in either direction. */
    sided: z.enum(["directional", "both"]).meta({ title: "Sides" }).default("directional"),
    anchor,
    /** Form of the loss. `score`: the ratio is a constant weight of log π; `ratio`: it has a gradient. */
    surrogate: z.enum(["score", "ratio"]).meta({ title: "Surrogate" }).default("score"),
    cap: range(1, 1e9, "Max ratio").nullable().default(20),
    drift: range(0, 100, "Weight of the squared log-ratio").default(0),
  }),
  /** Quadratic penalty instead of a bound, on the change of the probability (DRPO) or of the ratio (SPO). */
  z.strictObject({
    kind: z.literal("quadratic"),
    geometry: z.enum(["probability", "ratio"]).meta({ title: "Penalised quantity" }).default("probability"),
    delta: range(1e-6, 100, "Distance δ at which the gradient is zero").default(0.15),
    anchor,
  }),
  /** Plain policy gradient with a quadratic penalty on the log-ratio (DRO). */
  z.strictObject({
    kind: z.literal("quadraticLog"),
    beta: range(0, 100, "Weight β of the squared log-ratio").default(0.05),
    anchor,
  }),
  /** Smooth weight of the policy gradient that depends on the whole row's ratio (VESPO). */
  z.strictObject({
    kind: z.literal("vespo"),
    kPositive: shape("Exponent k of the ratio, positive advantages").default(2),
    lambdaPositive: range(1e-4, 100, "Decay rate λ of the weight, positive advantages").default(3),
    kNegative: shape("Exponent k of the ratio, negative advantages").default(3),
    lambdaNegative: range(1e-4, 100, "Decay rate λ of the weight, negative advantages").default(2),
  }),
  /** Clipping with the inverse ratio for tokens with positive advantage (ASPO). */
  z.strictObject({
    kind: z.literal("aspo"),
    low,
    high,
    /** Wider clip range for tokens above the 0.8 quantile of their row's entropies; absent: one range for all. */
    lowWide: range(0, 1, "Clip range below 1, high-entropy tokens").exactOptional(),
    highWide: range(0, 10, "Clip range above 1, high-entropy tokens").exactOptional(),
    dual,
  }),
  /** Clipping in which clipped tokens keep a gradient of the bound's size, times a factor (CE-GPPO). */
  z.strictObject({
    kind: z.literal("gradientPreserving"),
    low,
    high,
    betaLow: range(0, 100, "Gradient factor β₁ below the clip range").default(0.5),
    betaHigh: range(0, 100, "Gradient factor β₂ above the clip range").default(1),
    dual,
  }),
  /** Clipping of one ratio per turn, for rows that are whole episodes. */
  z.strictObject({
    kind: z.literal("turn"),
    length: z.enum(["mean", "sum"]).meta({ title: "Reduction over a turn's log-ratios" }).default("mean"),
    low,
    high,
  }),
  /** Plain policy gradient without a ratio. */
  z.strictObject({ kind: z.literal("score") }),
  /** Policy gradient with an unbounded ratio. */
  z.strictObject({ kind: z.literal("ratio") }),
] as const;
