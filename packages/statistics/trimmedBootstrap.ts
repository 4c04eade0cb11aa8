import { resample, resampledInterval } from "./bootstrap.ts";
import type { Interval } from "./rates.ts";

const numResamples = 1000;

/**
 * Percentile intervals of the interquartile mean over seeds, for many samples of few sizes. The resampling counts are
 * drawn once per size and each sample is sorted once, so a resample takes one pass. Equal to `bootstrap` of
 * `interquartileMean` with the same number of resamples.
 * @returns a function from an ascending sample to its interval
 */
export function makeMeanBootstrap(level = 0.95): (ascending: ArrayLike<number>) => Interval {
  const drawsOf = new Map<number, Draws>();
  return (ascending) => {
    const size = ascending.length;
    const draws = drawsOf.get(size) ?? drawCounts(size);
    drawsOf.set(size, draws);
    const replicates = new Float64Array(draws.counts.length / size);
    for (let r = 0; r < replicates.length; r++) {
      replicates[r] = countedMean(ascending, draws.counts, r * size);
    }
    return resampledInterval(replicates, draws.method, level);
  };
}

type Draws = {
  /** Times that each place of the sample is drawn, (R, n). */ counts: Uint16Array;
  method: "exact" | "sampled";
};

function drawCounts(size: number): Draws {
  const places = Array.from({ length: size }, (_, i) => i);
  const resamples = resample([places], { numResamples });
  const counts = new Uint16Array(resamples.numResamples * size);
  let start = 0;
  for (const [drawn = []] of resamples.draws) {
    for (const place of drawn) counts[start + place] = (counts[start + place] ?? 0) + 1;
    start += size;
  }
  return { counts, method: resamples.method };
}

/** Mean of a resample without its lowest and highest ⌊n/4⌋ values. */
function countedMean(ascending: ArrayLike<number>, counts: Uint16Array, start: number): number {
  const size = ascending.length;
  const trimmed = Math.floor(size / 4);
  let [sum, before] = [0, 0];
  for (let i = 0; i < size; i++) {
    const after = before + (counts[start + i] ?? 0);
    const numKept = Math.min(after, size - trimmed) - Math.max(before, trimmed);
    if (numKept > 0) sum += numKept * (ascending[i] ?? NaN);
    before = after;
  }
  return sum / (size - 2 * trimmed);
}
