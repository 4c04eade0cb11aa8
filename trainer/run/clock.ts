export function startClock() {
  const start = performance.now();
  const stages = new Map<string, number>();
  return {
    /** Executes `work`, adds its wall time to the stage's total, and returns its result. */
    async time<X>(stage: string, work: () => Promise<X>): Promise<X> {
      const from = performance.now();
      const result = await work();
      stages.set(stage, (stages.get(stage) ?? 0) + performance.now() - from);
      return result;
    },
    seconds: (stage: string): number => (stages.get(stage) ?? NaN) / 1000,
    /** Returns the metrics `time/…Ms` of every stage, and `time/iterationMs`, the time since the clock's start. */
    times(): Record<string, number> {
      const times = [...stages].map(([stage, ms]) => [`time/${stage}Ms`, ms] as const);
      return { ...Object.fromEntries(times), "time/iterationMs": performance.now() - start };
    },
  };
}
