import type { Channel, Quiet } from "./alertsFile.ts";

const minuteMs = 60_000;
/** Milliseconds after the event at which sending is given up. */
export const givenUpAfterMs = 72 * 60 * minuteMs;
const firstPauseMs = 15_000;
const longestPauseMs = 30 * minuteMs;

/** Time of the first attempt: after the channel's digest interval and outside its quiet hours. */
export function firstTry({ digestMinutes, quiet }: Channel, atMs: number): number {
  return afterQuiet(quiet, atMs + digestMinutes * minuteMs);
}

/** Time of the next attempt after `attempts` failures; undefined: given up. */
export function nextTry(
  { quiet }: Channel,
  failure: { attempts: number; nowMs: number; sinceMs: number; waitMs?: number },
) {
  const { attempts, nowMs, sinceMs, waitMs = 0 } = failure;
  if (nowMs - sinceMs > givenUpAfterMs) return undefined;
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1));
  return afterQuiet(quiet, nowMs + Math.max(pauseMs, waitMs));
}

/** The time itself, or the end of the quiet hours around it. */
export function afterQuiet(quiet: Quiet | undefined, ms: number): number {
  if (quiet === undefined) return ms;
  let at = ms;
  // Clocks change by an hour twice a year, so the end is searched minute by minute, for at most 25 hours.
  for (let i = 0; i < 25 * 60 && isQuiet(quiet, at); i++) at = (Math.floor(at / minuteMs) + 1) * minuteMs;
  return at;
}

function isQuiet({ from, to, timeZone }: Quiet, ms: number): boolean {
  const now = clockAt(timeZone, ms);
  return from < to ? now >= from && now < to : now >= from || now < to;
}

/** Local time of day as "07:05". */
function clockAt(timeZone: string, ms: number): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(
    ms,
  );
}
