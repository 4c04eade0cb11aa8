import { normalQuantile, normalUpperTail } from "./distributions.ts";
import type { Interval } from "./rates.ts";
import { mean } from "./summary.ts";

type Resampled = {
  estimate: number;
  /** The statistic of every resample. */
  replicates: Float64Array;
  /** Leave-one-out values of the statistic, by stratum (jackknife). */
  withoutOne: readonly (readonly number[])[];
};

/**
 * Bias-corrected and accelerated bootstrap interval (Efron 1987; several samples as in `scipy.stats.bootstrap`). If
 * every resample equals the estimate, both limits are the estimate. NaN where all resamples lie on one side of it.
 */
export function bcaInterval({ estimate, replicates, withoutOne }: Resampled, level = 0.95): Interval {
  const sorted = replicates.toSorted();
  if (sorted[0] === sorted.at(-1)) return { low: estimate, high: estimate };
  const below = sorted.filter((x) => x < estimate).length;
  const upTo = sorted.filter((x) => x <= estimate).length;
  const bias = normalQuantile((below + upTo) / (2 * sorted.length));
  if (!Number.isFinite(bias)) return { low: NaN, high: NaN };
  const acceleration = accelerationOf(withoutOne);
  const at = (p: number): number => {
    const z = bias + normalQuantile(p);
    const share = normalUpperTail(-(bias + z / (1 - acceleration * z)));
    return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length - 1e-9) - 1))] ?? NaN;
  };
  return { low: at((1 - level) / 2), high: at((1 + level) / 2) };
}

/** Acceleration from the jackknife; 0 where no unit has influence. */
function accelerationOf(withoutOne: Resampled["withoutOne"]): number {
  let [cubes, squares] = [0, 0];
  for (const values of withoutOne) {
    const [n, centre] = [values.length, mean(values)];
    for (const value of values) {
      const influence = ((n - 1) * (centre - value)) / n;
      cubes += influence ** 3;
      squares += influence ** 2;
    }
  }
  return squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
}
