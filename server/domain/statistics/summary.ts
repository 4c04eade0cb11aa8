/** NaN for no values. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? NaN : values.reduce((sum, x) => sum + x, 0) / values.length;
}

/** Sample standard deviation (n − 1); NaN for fewer than two values. */
export function std(values: readonly number[]): number {
  return Math.sqrt(variance(values));
}

/** Sample variance (n − 1); NaN for fewer than two values. */
export function variance(values: readonly number[]): number {
  return values.length < 2 ? NaN : squaredDeviations(values) / (values.length - 1);
}

/** Σ (x − mean)². Exactly 0 of equal values: their mean is rounded, and what is left of it would pass for a spread. */
export function squaredDeviations(values: readonly number[]): number {
  if (isConstant(values)) return 0;
  const centre = mean(values);
  return values.reduce((sum, x) => sum + (x - centre) ** 2, 0);
}

/** Two values or more, all equal: no test can tell how far another seed would lie from them. */
export function isConstant(values: readonly number[]): boolean {
  return values.length > 1 && Number.isFinite(values[0]) && values.every((x) => x === values[0]);
}

/** Standard error of the mean. */
export function sem(values: readonly number[]): number {
  return std(values) / Math.sqrt(values.length);
}

/**
 * Of the values from an index to before another. NaN for no values, and where one is NaN: nobody knows on which side of
 * the middle it lies.
 */
export function median(values: readonly number[], from = 0, to = values.length): number {
  const length = to - from;
  const sorted = length <= scratch.length ? sortFew(values, from, to) : toSorted(values.slice(from, to));
  if (sorted === undefined) return NaN;
  const middle = length >> 1;
  const upper = sorted[middle] ?? NaN;
  return length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

// The detector takes dozens of medians of few values a step: without an array for each, they cost a tenth.
const scratch = new Float64Array(48);

/** The first of the scratch ascending, −0 before 0, until the next call; undefined where there is no value or one is NaN. */
function sortFew(values: readonly number[], from: number, to: number): Float64Array | undefined {
  for (let i = from; i < to; i++) {
    const x = values[i] ?? NaN;
    if (Number.isNaN(x)) return undefined;
    const isNegativeZero = Object.is(x, -0);
    let at = i - from;
    for (; at > 0; at--) {
      const before = scratch[at - 1] ?? NaN;
      if (!(before > x || (isNegativeZero && before === 0))) break;
      scratch[at] = before;
    }
    scratch[at] = x;
  }
  return from < to ? scratch : undefined;
}

/** The value below which a share `p` lies, linear between the order statistics (numpy's default); NaN where a value is. */
export function quantile(values: ArrayLike<number>, p: number): number {
  return quantiles(values, [p])[0] ?? NaN;
}

/** Several of them, sorting once. */
export function quantiles(values: ArrayLike<number>, shares: readonly number[]): number[] {
  const sorted = toSorted(values);
  return shares.map((p) => {
    const position = p * (sorted.length - 1);
    const below = sorted[Math.floor(position)] ?? NaN;
    const above = sorted[Math.ceil(position)] ?? NaN;
    // Between two equal infinities there is no difference to go along.
    return below === above ? below : below + (above - below) * (position - Math.floor(position));
  });
}

/** Ascending; empty where a value is NaN, which a sort of numbers would take for the largest. */
function toSorted(values: ArrayLike<number>): Float64Array {
  // A typed array sorts numbers without calling back: bootstraps do this tens of thousands of times.
  const sorted = new Float64Array(values).sort();
  return Number.isNaN(sorted.at(-1)) ? new Float64Array() : sorted;
}

/** Interquartile mean: the mean after dropping ⌊n/4⌋ values at each end; NaN where a value is. Hides collapsed seeds by design. */
export function interquartileMean(values: ArrayLike<number>): number {
  const trimmed = Math.floor(values.length / 4);
  const middle = toSorted(values).subarray(trimmed, values.length - trimmed);
  return middle.length === 0 ? NaN : middle.reduce((sum, x) => sum + x, 0) / middle.length;
}

/** How far values stay below `target` on average, those above it counting as there (rliable). */
export function optimalityGap(values: readonly number[], target = 1): number {
  return values.length === 0 ? NaN : target - values.reduce((sum, x) => sum + Math.min(x, target), 0) / values.length;
}

/**
 * Lower-tail conditional value at risk: the mean of the worst share of the values, the last of them counted in part where
 * the share is no whole number. Shows the collapsed seeds that the interquartile mean hides.
 */
export function lowerTailMean(values: readonly number[], share = 0.2): number {
  const budget = Math.max(1, share * values.length);
  const weighted = Array.from(toSorted(values))
    .map((x, i) => ({ x, weight: Math.min(1, Math.max(0, budget - i)) }))
    .filter(({ weight }) => weight > 1e-9);
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  return weighted.reduce((sum, { x, weight }) => sum + x * weight, 0) / total;
}
