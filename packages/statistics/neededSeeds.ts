import { tTestPower } from "./evidence.ts";
import { type Looks, nominalLevel } from "./groupSequential.ts";

/** Comparison of two samples with `n` seeds each (if unequal, their harmonic mean). */
export type Undecided = { standardError: number; n: number; looks: Looks };

const [power, alpha] = [0.8, 0.05];
const maxSeeds = 1000;

/**
 * Smallest number of seeds per sample with which the next look finds a true difference with power 80 %. The test is
 * two-sided at level 5 % over all looks. Null above 1,000 seeds, and without a difference or spread.
 */
export function findNeededSeeds(difference: number, { standardError, n, looks }: Undecided): number | null {
  const effect = Math.abs(difference) / (standardError * Math.sqrt(n / 2));
  if (!(effect > 0 && Number.isFinite(effect))) return null;
  const now = looks.length > 0 ? looks : [n / 2];
  const isEnough = (seeds: number) =>
    tTestPower(effect, seeds, nominalLevel(alpha, [...now, Math.max(seeds, n + 1e-6) / 2])) >= power;
  if (!isEnough(maxSeeds)) return null;
  let [few, enough] = [Math.floor(n + 1e-9), maxSeeds];
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else few = middle;
  }
  return enough;
}
