/** Measures the wall time of an iteration's stages. */
export function startClock() {
  const start = performance.now();
  const stages = new Map<string, number>();
  return {
    /** Executes the work, adds its wall time to the stage's total, and returns the result. */
    async time<X>(stage: string, work: () => Promise<X>): Promise<X> {
      const from = performance.now();
      const result = await work();
      stages.set(stage, (stages.get(stage) ?? 0) + performance.now() - from);
      return result;
    },
    seconds: (stage: string): number => (stages.get(stage) ?? NaN) / 1000,
    /** Returns `time/…Ms` for every stage, and `time/iterationMs` since the clock's start. */
    times(): Record<string, number> {
      const times = [...stages].map(([stage, ms]) => [`time/${stage}Ms`, ms] as const);
      return { ...Object.fromEntries(times), "time/iterationMs": performance.now() - start };
    },
  };
}
