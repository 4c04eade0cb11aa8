import type { Advantage } from "#trainer/spec/dimensions.ts";

/** Added to a standard deviation, which keeps the division finite for groups whose scores are equal. */
const epsilon = 1e-6;

export type Scale = Extract<Advantage, { kind: "group" }>["scale"];

/** Statistics of one group's samples. */
export type Baseline = { mean: number; std: number };

/**
 * Mean and unbiased standard deviation (ddof = 1). A single sample has mean 0 and std 1: its advantage is its score.
 */
export function baselineOf(samples: readonly number[]): Baseline {
  if (samples.length < 2) return { mean: 0, std: 1 };
  const mean = meanOf(samples);
  const squares = samples.reduce((total, x) => total + (x - mean) ** 2, 0);
  return { mean, std: Math.sqrt(squares / (samples.length - 1)) };
}

/** Standard deviation with one degree of freedom removed; 0 for fewer than two samples, exactly 0 for equal ones. */
export function standardDeviation(samples: readonly number[]): number {
  return samples.length < 2 ? 0 : baselineOf(samples).std;
}

/** (x − mean) / (std + 1e-6), or x − mean alone. */
export function relativeTo({ mean, std }: Baseline, x: number, scale: Scale): number {
  return scale === "groupStd" ? (x - mean) / (std + epsilon) : x - mean;
}

/** The mean, exact for equal samples, so that a constant group has advantage 0 and not a rounding error over 1e-6. */
export function meanOf(samples: readonly number[]): number {
  const [first] = samples;
  if (first === undefined) return 0;
  if (samples.every((x) => x === first)) return first;
  return samples.reduce((total, x) => total + x, 0) / samples.length;
}
