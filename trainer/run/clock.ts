/** Wall time of the stages of an iteration. */
export function startClock() {
  const start = performance.now();
  const laps = new Map<string, number>();
  let last = start;
  return {
    /** Ends a stage. */
    lap(stage: string): void {
      const now = performance.now();
      laps.set(stage, now - last);
      last = now;
    },
    seconds: (stage: string): number => (laps.get(stage) ?? NaN) / 1000,
    /** `time/…Ms` of every stage that took at least a microsecond, and of all together. */
    times(): Record<string, number> {
      const seen = [...laps].filter(([, ms]) => ms >= 1e-3);
      return Object.fromEntries([
        ...seen.map(([stage, ms]) => [`time/${stage}Ms`, ms]),
        ["time/iterationMs", last - start],
      ]);
    },
  };
}
