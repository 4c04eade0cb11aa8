import { setTimeout as sleep } from "node:timers/promises";
import type { Launcher } from "./launcher.ts";

/** Waits with a timer that does not keep an otherwise idle process alive. */
export async function rest(ms: number): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { ref: false });
}

/** Delays observations so that `pollMs` pass after each, or five times as much without jobs. */
export function paced(pollMs: number, observe: Launcher["observe"]): Launcher["observe"] {
  let lastPollMs = 0;
  return async (jobs) => {
    await rest(lastPollMs + (jobs.length > 0 ? pollMs : 5 * pollMs) - Date.now());
    const observation = await observe(jobs);
    lastPollMs = Date.now();
    return observation;
  };
}

/** Returns a function that runs at most `most` calls concurrently; further calls wait in order. */
export function makeLimit(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let numBusy = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (numBusy >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else numBusy += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else numBusy -= 1;
    }
  };
}

/** Returns for how long a condition (`isSo`) has been true for a job without interruption, in ms. */
export function ageOf(
  since: Map<string, number>,
  { jobId, isSo, nowMs }: { jobId: string; isSo: boolean; nowMs: number },
): number {
  if (!isSo) since.delete(jobId);
  else if (!since.has(jobId)) since.set(jobId, nowMs);
  return nowMs - (since.get(jobId) ?? nowMs);
}

/**
 * Returns a function that asks in the background at its first call and then every `everyMs` (`againMs` after a
 * failure). It never blocks: it returns each answer once, at a later call, and undefined otherwise.
 */
export function askEvery<Answer>(
  everyMs: number,
  ask: () => Promise<Answer>,
  againMs = everyMs,
): () => Answer | undefined {
  let nextAtMs = 0;
  let answer: Answer | undefined;
  return () => {
    const known = answer;
    answer = undefined;
    if (Date.now() < nextAtMs) return known;
    nextAtMs = Date.now() + everyMs;
    void ask().then(
      (found) => (answer = found),
      () => (nextAtMs = Date.now() + againMs),
    );
    return known;
  };
}
