import type { RunStatus } from "#server/domain/runStatus.ts";

export type Pace = {
  intent: "run" | "pause" | "cancel";
  counts: Readonly<Record<RunStatus, number>>;
  iterationsDone: number;
  iterationsLeft: number;
  /** Milliseconds of all attempts together, from their launch to their end or now. */
  busyMs: number;
};

/**
 * Milliseconds until a sweep is through, as far as its own pace tells: what an iteration cost so far, cloning, waiting in a
 * scheduler's queue and attempts in vain included, shared by as many runs as there are now. Times in which nothing ran do
 * not count. Undefined where nothing runs or nothing was done yet.
 */
export function timeLeft({ intent, counts, iterationsDone, iterationsLeft, busyMs }: Pace): number | undefined {
  const numLive = counts.running + counts.starting + counts.unknown;
  if (intent !== "run" || numLive === 0 || iterationsDone === 0) return undefined;
  return ((busyMs / iterationsDone) * iterationsLeft) / numLive;
}
