/**
 * Steps that OLMo-core's SkipStepOptimizer would skip: all whose value is not at most mean + `sigmas`·std (n − 1) of the
 * `window` values before it, once half a window has been seen. What is not finite is at most nothing, so it is skipped, and
 * so is every step that has it among the values before it. (N,) → (N,)
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
