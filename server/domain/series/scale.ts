/** Logarithmic far from zero and linear near it: sign(x)·log₁₀(1 + |x| / linear). Defined for every number. */
export function toSymlog(x: number, linear = 1): number {
  return Math.sign(x) * Math.log10(1 + Math.abs(x) / linear);
}

export function fromSymlog(y: number, linear = 1): number {
  return Math.sign(y) * linear * (10 ** Math.abs(y) - 1);
}

/** Finite values that a logarithmic axis cannot show: the chart says how many it left out. */
export function countNonPositive(values: Float64Array): number {
  let count = 0;
  for (const x of values) if (Number.isFinite(x) && x <= 0) count += 1;
  return count;
}

/** Powers of ten around a positive range, at least two: ticks of a logarithmic axis. */
export function listDecades(min: number, max: number): number[] {
  if (!(min > 0) || !(max >= min) || !Number.isFinite(max)) return [];
  const from = Math.floor(Math.log10(min));
  const to = Math.max(from + 1, Math.ceil(Math.log10(max)));
  return Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));
}
