import { z } from "zod";
import type { Rng } from "#trainer/spec/rng.ts";

/** Makes the schema of a seed. Every use has an instance of its own, since JSON Schemas refer to shared instances. */
export const makeSeed = () =>
  z
    .int()
    .min(0)
    .max(2 ** 31 - 1);

/** Samples are rounded to multiples of this number. */
const step = z.number().positive().optional();
const bounds = { low: z.number(), high: z.number(), step };
const isOrdered = { error: "low must be below high" };

export const Distribution = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("uniform"), ...bounds }).refine(({ low, high }) => low < high, isOrdered),
  z
    .strictObject({ kind: z.literal("logUniform"), ...bounds })
    .refine(({ low, high }) => 0 < low && low < high, { error: "must satisfy 0 < low < high" }),
  z
    .strictObject({ kind: z.literal("integer"), low: z.int(), high: z.int() })
    .refine(({ low, high }) => low < high, isOrdered),
  z.strictObject({ kind: z.literal("normal"), mean: z.number(), std: z.number().positive(), step }),
  z.strictObject({ kind: z.literal("logNormal"), mean: z.number(), std: z.number().positive(), step }),
  z
    .strictObject({
      kind: z.literal("choice"),
      of: z
        .array(z.union([z.number(), z.string().max(60), z.boolean(), z.null()]))
        .min(1)
        .max(100),
      /** Relative probabilities of the choices; if absent, all are equal. */
      weights: z.array(z.number().min(0)).optional(),
    })
    .refine(({ of, weights }) => weights === undefined || weights.length === of.length, {
      error: "there must be as many weights as choices",
    })
    .refine(({ weights }) => weights === undefined || weights.some((weight) => weight > 0), {
      error: "at least one weight must be above 0",
    }),
]);
export type Distribution = z.infer<typeof Distribution>;

/** Draws one sample, rounded to six digits so that the stored, displayed and trained values are equal. */
export function draw(distribution: Distribution, rng: Rng): number | string | boolean | null {
  switch (distribution.kind) {
    case "uniform":
      return bounded(distribution.low + rng.next() * (distribution.high - distribution.low), distribution);
    case "logUniform": {
      const [low, high] = [Math.log(distribution.low), Math.log(distribution.high)];
      return bounded(Math.exp(low + rng.next() * (high - low)), distribution);
    }
    case "integer":
      return distribution.low + rng.int(distribution.high - distribution.low + 1);
    case "normal":
      return tidy(distribution.mean + rng.normal() * distribution.std, distribution.step);
    case "logNormal":
      return tidy(Math.exp(distribution.mean + rng.normal() * distribution.std), distribution.step);
    case "choice":
      return choose(distribution, rng);
  }
}

function bounded(x: number, { low, high, step }: { low: number; high: number; step?: number | undefined }): number {
  // Rounding must not move the sample outside the bounds.
  return Math.min(high, Math.max(low, tidy(x, step)));
}

function tidy(x: number, step: number | undefined): number {
  const stepped = step === undefined ? x : Math.round(x / step) * step;
  return Number(stepped.toPrecision(6));
}

function choose({ of, weights }: Extract<Distribution, { kind: "choice" }>, rng: Rng) {
  const all = weights ?? of.map(() => 1);
  let left = rng.next() * all.reduce((sum, weight) => sum + weight, 0);
  for (const [i, weight] of all.entries()) {
    left -= weight;
    if (left < 0) return of[i] ?? null;
  }
  return of[all.findLastIndex((weight) => weight > 0)] ?? null;
}
