import { formatDuration } from "#packages/base";

/** Time without a new line in an attempt's log, and the mean time of its iterations so far; null before the second. */
export type Silence = { ms: number; iterationMs: number | null };

/** Number of its own iterations after which a silent run counts as one without progress. */
const maxIterations = 10;

/** Time in ms below which no silence is reported: pauses of a busy machine are as long. */
export const minSilenceMs = 60_000;

/** True if a run has been silent for longer than ten of its iterations, or than its plan allows. */
export function isStuck(silence: Silence, limitMs: number | null): boolean {
  const { ms, iterationMs } = silence;
  return isOverLimit(silence, limitMs) || (iterationMs !== null && ms > maxIterations * iterationMs);
}

/** True if the run's plan ends an attempt after this silence. */
export function isOverLimit({ ms }: Silence, limitMs: number | null): boolean {
  return limitMs !== null && ms >= limitMs;
}

export function describeSilence({ ms, iterationMs }: Silence): string {
  const pace =
    iterationMs === null
      ? ""
      : `; its iterations take ${iterationMs < 1000 ? "less than 1 s" : formatDuration(iterationMs)}`;
  return `no new line in the log for ${formatDuration(ms)}${pace}`;
}
