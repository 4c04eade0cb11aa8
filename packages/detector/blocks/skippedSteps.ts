/**
 * Steps that OLMo-core's SkipStepOptimizer would skip: values not at most mean + `sigmas`·std (n − 1) of the previous
 * `window` values, once half a window exists. Comparisons with NaN are false, so a non-finite value is skipped, and so
 * are all steps with one in their window. (N,) → (N,)
 */
export function findSkips(
  values: readonly number[],
  { window, sigmas }: { window: number; sigmas: number },
): boolean[] {
  return values.map((x, i) => {
    if (i + 1 < Math.max(2, Math.floor(window / 2))) return false;
    const from = Math.max(0, i - window);
    let sum = 0;
    for (let k = from; k < i; k++) sum += values[k] ?? NaN;
    const mean = sum / (i - from);
    let squares = 0;
    for (let k = from; k < i; k++) squares += ((values[k] ?? NaN) - mean) ** 2;
    return !(x - mean <= sigmas * Math.sqrt(squares / (i - from - 1)));
  });
}
