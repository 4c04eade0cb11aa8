import { z } from "zod";
import type { Rng } from "./rng.ts";
import { count, real } from "./setting.ts";

const greatestLag = 64;
const age = (title: string, description: string) => count([0, greatestLag], title, description);
const discardBeyond = age(
  "Discard beyond (iterations)",
  "Maximum age of the sampling policy. Episodes from an older policy are excluded from the update, as in asynchronous trainers; empty: all episodes are kept.",
).optional();

/**
 * Schema of the sampler's staleness: number of iterations by which the sampling policy is older than the trained
 * policy. In asynchronous trainers, it is constantly one step (prime-rl), or varies below a bound (AReaL, TRL).
 */
export const Lag = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("constant"),
    k: age("Lag (iterations)", "Every episode is sampled from the policy of this many iterations ago.").default(1),
  }),
  z.strictObject({
    kind: z.literal("uniform"),
    max: age("Max lag (iterations)", "Every episode's lag is sampled uniformly from 0 to this value.").default(4),
    discardBeyond,
  }),
  z.strictObject({
    kind: z.literal("geometric"),
    mean: real(
      [0, greatestLag],
      "Mean lag (iterations)",
      "Every episode's lag is sampled from a geometric distribution with this mean, then limited to the maximum lag.",
    ).default(2),
    max: age("Max lag (iterations)", "Maximum lag. A larger sampled lag is set to this value.").default(8),
    discardBeyond,
  }),
]);
export type Lag = z.infer<typeof Lag>;

/** Schema of the number format of the sampler's weights. fp8 is e4m3 (OCP OFP8: 3 bits of mantissa, maximum 448). */
export const SamplerPrecision = z.enum(["float32", "bf16", "fp8-e4m3", "fp8-e4m3-tensor", "int8"]);
export type SamplerPrecision = z.infer<typeof SamplerPrecision>;

export const SamplerNoise = z.strictObject({
  sigma: real(
    [0, 10],
    "Noise (σ, nats)",
    "Standard deviation of the independent noise that is added to every logit of the sampler.",
  ).default(0.01),
  seed: count(
    [0, 2 ** 31 - 1],
    "Noise seed",
    "Seed of the noise. Runs that differ only in this seed have different noise.",
  ).default(0),
});
export type SamplerNoise = z.infer<typeof SamplerNoise>;

/** Schema of loop-aware control: the rollouts in which a response is rejected if it repeats an action in a state. */
export const LoopControl = z.enum(["none", "training", "evaluation", "both"]);
export type LoopControl = z.infer<typeof LoopControl>;

/** Maximum number of rejected responses per turn. The next one is executed even if it repeats an action. */
export const maxRejected = 3;

type Controlled = { loopControl?: LoopControl | undefined };

export function controlsLoops({ loopControl = "none" }: Controlled, place: "training" | "evaluation"): boolean {
  return loopControl === place || loopControl === "both";
}

/** Rollout settings that make the sampling policy differ from the trained policy. */
type Sampling = {
  lag?: Lag | undefined;
  samplerPrecision?: SamplerPrecision | undefined;
  samplerNoise?: SamplerNoise | undefined;
};

/** Maximum staleness of an episode in iterations, which equals the number of older policy versions that are stored. */
export function maxLagOf({ lag }: Pick<Sampling, "lag">): number {
  if (lag === undefined) return 0;
  return lag.kind === "constant" ? lag.k : lag.max;
}

export function precisionOf({ samplerPrecision = "float32" }: Sampling): SamplerPrecision {
  return samplerPrecision;
}

export function noiseOf({ samplerNoise }: Sampling): SamplerNoise | undefined {
  return samplerNoise && samplerNoise.sigma > 0 ? samplerNoise : undefined;
}

/** True if the sampler's weights are rounded to a lower precision than the trainer's, or if its logits have noise. */
export function isRounded(rollout: Sampling): boolean {
  return precisionOf(rollout) !== "float32" || noiseOf(rollout) !== undefined;
}

/** True if the sampling policy can differ from the trained policy by staleness, lower precision or noise. */
export function hasMismatch(rollout: Sampling): boolean {
  return maxLagOf(rollout) > 0 || isRounded(rollout);
}

/** Samples the staleness of an episode in iterations. Draws one number, or none if the staleness is constant. */
export function drawLag(lag: Lag | undefined, rng: Rng): number {
  if (lag === undefined) return 0;
  switch (lag.kind) {
    case "constant":
      return lag.k;
    case "uniform":
      return rng.int(lag.max + 1);
    case "geometric":
      // P(lag = j) = p·(1 − p)^j with p = 1/(1 + mean), sampled by its inverse distribution function.
      return lag.mean === 0
        ? 0
        : Math.min(Math.floor(Math.log1p(-rng.next()) / Math.log(lag.mean / (1 + lag.mean))), lag.max);
  }
}

/** Returns the sampler's policy version, in completed iterations: `lag` older than the newest, at least 0. */
export function samplerVersion(newest: number, lag: number): number {
  return Math.max(0, newest - lag);
}

/** Maximum staleness in iterations of an episode that is used in the update; Infinity if no episode is discarded. */
export function discardBeyondOf(lag: Lag | undefined): number {
  return lag === undefined || lag.kind === "constant" ? Infinity : (lag.discardBeyond ?? Infinity);
}
