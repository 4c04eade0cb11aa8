import { isTied } from "./ranks.ts";

/** Returns the mean; NaN for an empty list. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? NaN : values.reduce((sum, x) => sum + x, 0) / values.length;
}

/** Returns the sample standard deviation (n − 1); NaN for fewer than two values. */
export function std(values: readonly number[]): number {
  return Math.sqrt(variance(values));
}

/** Returns the sample variance (n − 1); NaN for fewer than two values. */
export function variance(values: readonly number[]): number {
  return values.length < 2 ? NaN : squaredDeviations(values) / (values.length - 1);
}

/** Σ (x − mean)², exactly 0 for equal values, so that rounding error of their mean is no spread. */
export function squaredDeviations(values: readonly number[]): number {
  if (isConstant(values)) return 0;
  const centre = mean(values);
  return values.reduce((sum, x) => sum + (x - centre) ** 2, 0);
}

/** True for two or more values that are equal except for rounding: no test can estimate their variance. */
export function isConstant(values: readonly number[]): boolean {
  const [first = NaN] = values;
  return values.length > 1 && Number.isFinite(first) && values.every((x) => isTied(x, first));
}

/** Returns the standard error of the mean; NaN for fewer than two values. */
export function sem(values: readonly number[]): number {
  return std(values) / Math.sqrt(values.length);
}

/** Returns the median of the values with indices in [from, to). NaN for an empty range, or if a value is NaN. */
export function median(values: readonly number[], from = 0, to = values.length): number {
  const length = to - from;
  const sorted = length <= scratch.length ? sortFew(values, from, to) : toSorted(values.slice(from, to));
  if (sorted === undefined) return NaN;
  const middle = length >> 1;
  const upper = sorted[middle] ?? NaN;
  return length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

// Shared buffer for sorting: the detector's dozens of medians per step become ten times cheaper.
const scratch = new Float64Array(48);

/** Sorts [from, to) into a buffer shared with the next call, −0 before 0; undefined if it is empty or has a NaN. */
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

/** Quantile at probability p, interpolated between order statistics (numpy's default); NaN if a value is NaN. */
export function quantile(values: ArrayLike<number>, p: number): number {
  return quantiles(values, [p])[0] ?? NaN;
}

/** Returns the quantiles at several probabilities (`shares`), with one sort. */
export function quantiles(values: ArrayLike<number>, shares: readonly number[]): number[] {
  const sorted = toSorted(values);
  return shares.map((p) => {
    const position = p * (sorted.length - 1);
    const below = sorted[Math.floor(position)] ?? NaN;
    const above = sorted[Math.ceil(position)] ?? NaN;
    // The interpolation of two equal infinities would give NaN.
    return below === above ? below : below + (above - below) * (position - Math.floor(position));
  });
}

/** Sorts values ascending; empty if a value is NaN, because a numeric sort would put NaN last. */
function toSorted(values: ArrayLike<number>): Float64Array {
  // A typed array sorts numbers without a callback, which matters because bootstraps sort tens of thousands of times.
  const sorted = new Float64Array(values).sort();
  return Number.isNaN(sorted.at(-1)) ? new Float64Array() : sorted;
}

/** Mean without the ⌊n/4⌋ lowest and highest values; NaN if a value is NaN. By design, it hides collapsed seeds. */
export function interquartileMean(values: ArrayLike<number>): number {
  const trimmed = Math.floor(values.length / 4);
  const middle = toSorted(values).subarray(trimmed, values.length - trimmed);
  return middle.length === 0 ? NaN : middle.reduce((sum, x) => sum + x, 0) / middle.length;
}

/** Optimality gap (rliable): mean shortfall below `target`; higher values count as `target`. */
export function optimalityGap(values: readonly number[], target = 1): number {
  return values.length === 0 ? NaN : target - values.reduce((sum, x) => sum + Math.min(x, target), 0) / values.length;
}

/** Conditional value at risk: mean of the lowest fraction, the last value weighted; it shows collapsed seeds. */
export function lowerTailMean(values: readonly number[], share = 0.2): number {
  const budget = Math.max(1, share * values.length);
  const weighted = Array.from(toSorted(values))
    .map((x, i) => ({ x, weight: Math.min(1, Math.max(0, budget - i)) }))
    .filter(({ weight }) => weight > 1e-9);
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  return weighted.reduce((sum, { x, weight }) => sum + x * weight, 0) / total;
}
