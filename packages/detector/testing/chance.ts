import type { Rng } from "#trainer/spec/rng.ts";

export function between(rng: Rng, low: number, high: number): number {
  return low + (high - low) * rng.next();
}

/** Draws a random number in [low, high) whose logarithm is uniform. */
export function ratioBetween(rng: Rng, low: number, high: number): number {
  return Math.exp(between(rng, Math.log(low), Math.log(high)));
}

/** Draws from Student's t distribution with few degrees of freedom, scaled to a standard deviation of 1. */
export function heavyTailed(rng: Rng, df: number): number {
  let squares = 0;
  for (let i = 0; i < df; i++) squares += rng.normal() ** 2;
  return rng.normal() / Math.sqrt(squares / df) / Math.sqrt(df / (df - 2));
}

/** Autocorrelated noise: an AR(1) process with heavy-tailed innovations and standard deviation 1. */
export function makeNoise(rng: Rng, { memory, df }: { memory: number; df: number }): () => number {
  let x = heavyTailed(rng, df);
  return () => (x = memory * x + Math.sqrt(1 - memory * memory) * heavyTailed(rng, df));
}

/** Draws a random number of a beta distribution, as a ratio of gamma variates. */
export function beta(rng: Rng, a: number, b: number): number {
  const x = gamma(rng, a);
  return x / (x + gamma(rng, b));
}

/** Draws a random number of a gamma distribution with unit scale (Marsaglia & Tsang 2000). */
function gamma(rng: Rng, shape: number): number {
  if (shape < 1) return gamma(rng, shape + 1) * (1 - rng.next()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = rng.normal();
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - rng.next()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}
