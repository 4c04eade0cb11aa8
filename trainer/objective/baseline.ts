import type { Advantage } from "#trainer/spec/dimensions.ts";

/** Constant added to the standard deviation, so that the division is finite for groups whose scores are all equal. */
const epsilon = 1e-6;

export type Scale = Extract<Advantage, { kind: "group" }>["scale"];

/** Mean and standard deviation of the scores in one group of samples. */
export type Baseline = { mean: number; std: number };

/** Mean and unbiased standard deviation (ddof = 1). A single sample gets 0 and 1: its advantage is its score. */
export function baselineOf(samples: readonly number[]): Baseline {
  if (samples.length < 2) return { mean: 0, std: 1 };
  const mean = meanOf(samples);
  const squares = samples.reduce((total, x) => total + (x - mean) ** 2, 0);
  return { mean, std: Math.sqrt(squares / (samples.length - 1)) };
}

/** Unbiased standard deviation (ddof = 1); 0 for fewer than two samples, and exactly 0 if all samples are equal. */
export function standardDeviation(samples: readonly number[]): number {
  return samples.length < 2 ? 0 : baselineOf(samples).std;
}

/** Returns (x − mean) / (std + 1e-6), or x − mean if `scale` is not "groupStd". */
export function relativeTo({ mean, std }: Baseline, x: number, scale: Scale): number {
  return scale === "groupStd" ? (x - mean) / (std + epsilon) : x - mean;
}

/** Mean that is exact for equal samples, so that a constant group has advantage 0, not a rounding error over 1e-6. */
export function meanOf(samples: readonly number[]): number {
  const [first] = samples;
  if (first === undefined) return 0;
  if (samples.every((x) => x === first)) return first;
  return samples.reduce((total, x) => total + x, 0) / samples.length;
}
