import { z } from "zod";

/** Clipping kinds for samplers that differ from the learning policy. The others are in `dimensions.ts`. */

const range = (min: number, max: number, title: string) => z.number().min(min).max(max).meta({ title });
const low = range(0, 1, "Clip range below 1").default(0.2);
const high = range(0, 10, "Clip range above 1").default(0.2);
const dual = range(1, 100, "Bound of the factor").nullable().default(3);
/** Denominator of the ratio: the proximal policy (also where absent), or always the sampler. */
const anchor = z.enum(["old", "sampler"]).meta({ title: "Ratio to" }).exactOptional();
const shape = (title: string) => range(0, 100, title);

export const offPolicyClippings = [
  /** Masks the gradient of tokens whose probability moved too far. The ratio itself is not bounded (DPPO, IPO). */
  z.strictObject({
    kind: z.literal("divergence"),
    measure: z.enum(["tv", "binaryKl"]).meta({ title: "Divergence" }).default("tv"),
    low: range(0, 10, "Max divergence below").default(0.15),
    high: range(0, 10, "Max divergence above").default(0.15),
    /** `directional`: only on the side that the advantage pushes to. `both`: for any advantage. */
    sided: z.enum(["directional", "both"]).meta({ title: "Sides" }).default("directional"),
    anchor,
    /** `score`: a constant ratio weights log π. `ratio`: the ratio itself. */
    surrogate: z.enum(["score", "ratio"]).meta({ title: "Surrogate" }).default("score"),
    cap: range(1, 1e9, "Max ratio").nullable().default(20),
    drift: range(0, 100, "Weight of the squared log-ratio").default(0),
  }),
  /** A quadratic penalty in place of a bound, on the probability (DRPO) or on the ratio (SPO). */
  z.strictObject({
    kind: z.literal("quadratic"),
    geometry: z.enum(["probability", "ratio"]).meta({ title: "Penalty of" }).default("probability"),
    delta: range(1e-6, 100, "Distance δ at which the gradient ends").default(0.15),
    anchor,
  }),
  /** A plain policy gradient with a quadratic penalty on the log-ratio (DRO). */
  z.strictObject({
    kind: z.literal("quadraticLog"),
    beta: range(0, 100, "Weight β of the squared log-ratio").default(0.05),
    anchor,
  }),
  /** A smooth weight of the whole row's ratio (VESPO). */
  z.strictObject({
    kind: z.literal("vespo"),
    kPositive: shape("Power k, positive advantages").default(2),
    lambdaPositive: range(1e-4, 100, "Decay λ, positive advantages").default(3),
    kNegative: shape("Power k, negative advantages").default(3),
    lambdaNegative: range(1e-4, 100, "Decay λ, negative advantages").default(2),
  }),
  /** Tokens with positive advantage use the inverse ratio (ASPO). */
  z.strictObject({
    kind: z.literal("aspo"),
    low,
    high,
    /** Range for tokens above the 0.8 quantile of their row's entropies; absent: the same range for all. */
    lowWide: range(0, 1, "Range below 1, uncertain tokens").exactOptional(),
    highWide: range(0, 10, "Range above 1, uncertain tokens").exactOptional(),
    dual,
  }),
  /** Clipped tokens keep a gradient of the bound's size, times a factor (CE-GPPO). */
  z.strictObject({
    kind: z.literal("gradientPreserving"),
    low,
    high,
    betaLow: range(0, 100, "Factor β₁ below the range").default(0.5),
    betaHigh: range(0, 100, "Factor β₂ above the range").default(1),
    dual,
  }),
  /** One ratio per turn of a row that is a whole episode. */
  z.strictObject({
    kind: z.literal("turn"),
    length: z.enum(["mean", "sum"]).meta({ title: "Over a turn's log-ratios" }).default("mean"),
    low,
    high,
  }),
  /** Plain policy gradient, without a ratio. */
  z.strictObject({ kind: z.literal("score") }),
  /** The ratio without bounds. */
  z.strictObject({ kind: z.literal("ratio") }),
] as const;
