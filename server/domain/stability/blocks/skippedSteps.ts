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
    const before = values.slice(Math.max(0, i - window), i);
    const mean = before.reduce((sum, y) => sum + y, 0) / before.length;
    const std = Math.sqrt(before.reduce((sum, y) => sum + (y - mean) ** 2, 0) / (before.length - 1));
    return !(x - mean <= sigmas * std);
  });
}
