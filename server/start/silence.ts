/** State of a service in the supervisor's health checks. */
export type Silence = {
  /** Time of the last check, on the supervisor's monotonic clock. */
  lookedMs: number;
  /** Duration without an answer, counted only while the supervisor itself was running. */
  silentMs: number;
  /** True if it has answered since its start. */
  hasAnswered: boolean;
};

export function beginSilence(nowMs: number): Silence {
  return { lookedMs: nowMs, silentMs: 0, hasAnswered: false };
}

/** `usualMs`: usual interval between two checks on a machine that is not overloaded. */
export type Look = { nowMs: number; isAnswered: boolean; usualMs: number };

/**
 * Adds a health check. A check that came far too late does not count: on a suspended or overloaded machine the service
 * is not to blame.
 */
export function addLook({ lookedMs, silentMs, hasAnswered }: Silence, { nowMs, isAnswered, usualMs }: Look): Silence {
  if (isAnswered) return { lookedMs: nowMs, silentMs: 0, hasAnswered: true };
  const passedMs = nowMs - lookedMs;
  const isLate = passedMs > 2 * usualMs;
  return { lookedMs: nowMs, silentMs: isLate ? silentMs : silentMs + passedMs, hasAnswered };
}
