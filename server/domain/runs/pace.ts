import type { RunStatus } from "./runStatus.ts";

export type Pace = {
  intent: "run" | "pause" | "cancel";
  counts: Readonly<Record<RunStatus, number>>;
  iterationsDone: number;
  iterationsLeft: number;
  /** Total duration of all attempts, each from its launch to its end or to now. */
  busyMs: number;
};

/**
 * Estimated milliseconds until the sweep ends, at its own pace: time per iteration so far, divided by the number of
 * current runs. Includes cloning, queueing and failed attempts; excludes idle time. Undefined if nothing runs or no
 * iteration is done.
 */
export function timeLeft({ intent, counts, iterationsDone, iterationsLeft, busyMs }: Pace): number | undefined {
  const numLive = counts.running + counts.starting + counts.unknown;
  if (intent !== "run" || numLive === 0 || iterationsDone === 0) return undefined;
  return ((busyMs / iterationsDone) * iterationsLeft) / numLive;
}
