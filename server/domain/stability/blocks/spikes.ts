/**
 * OLMo-core's spikes: above mean + `sigmas`·std of the last `window` values, the current one left out (population std).
 * Its traps are kept: a spike enters the window and hides the next, and a NaN blinds it for a window. (N,) → (N,)
 */
export function findSpikes(
  values: readonly number[],
  { window, sigmas, from }: { window: number; sigmas: number; from: number },
): boolean[] {
  return values.map((x, i) => {
    if (i < from) return false;
    const last = values.slice(Math.max(0, i - window), i);
    const mean = last.reduce((sum, y) => sum + y, 0) / last.length;
    const std = Math.sqrt(last.reduce((sum, y) => sum + (y - mean) ** 2, 0) / last.length);
    return x > mean + sigmas * std;
  });
}

/** Share of steps that are spikes. */
export function spikeScore(spikes: readonly boolean[]): number {
  return spikes.filter(Boolean).length / spikes.length;
}
