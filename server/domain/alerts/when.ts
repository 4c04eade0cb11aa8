import type { Channel, Quiet } from "./alertsFile.ts";

const minuteMs = 60_000;
/** After this a message is given up, in milliseconds since what it tells. */
export const givenUpAfterMs = 72 * 60 * minuteMs;
const firstPauseMs = 15_000;
const longestPauseMs = 30 * minuteMs;

/** When a notice is to be sent first: after the channel's digest, and not within its quiet hours. */
export function firstTry({ digestMinutes, quiet }: Channel, atMs: number): number {
  return afterQuiet(quiet, atMs + digestMinutes * minuteMs);
}

/** When a message that failed for the `attempts`-th time is to be sent again; undefined: no more. */
export function nextTry(
  { quiet }: Channel,
  failure: { attempts: number; nowMs: number; sinceMs: number; waitMs?: number },
) {
  const { attempts, nowMs, sinceMs, waitMs = 0 } = failure;
  if (nowMs - sinceMs > givenUpAfterMs) return undefined;
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempts - 1));
  return afterQuiet(quiet, nowMs + Math.max(pauseMs, waitMs));
}

/** The moment itself, or the end of the quiet hours that it lies in. */
export function afterQuiet(quiet: Quiet | undefined, ms: number): number {
  if (quiet === undefined) return ms;
  let at = ms;
  // Clocks jump by an hour twice a year, so that the end is looked for and not calculated; a day and an hour at most.
  for (let i = 0; i < 25 * 60 && isQuiet(quiet, at); i++) at = (Math.floor(at / minuteMs) + 1) * minuteMs;
  return at;
}

function isQuiet({ from, to, timeZone }: Quiet, ms: number): boolean {
  const now = clockAt(timeZone, ms);
  return from < to ? now >= from && now < to : now >= from || now < to;
}

/** As 07:05, by the zone's own clock. */
function clockAt(timeZone: string, ms: number): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(
    ms,
  );
}
