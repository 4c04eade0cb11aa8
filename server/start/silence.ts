/** What the supervisor knows of a service that it looks at again and again. */
export type Silence = {
  /** When it was looked at last, on the supervisor's monotonic clock. */
  lookedMs: number;
  /** How long it has not answered, as far as the supervisor was awake to see it. */
  silentMs: number;
  /** It has answered since it was started. */
  hasAnswered: boolean;
};

export function beginSilence(nowMs: number): Silence {
  return { lookedMs: nowMs, silentMs: 0, hasAnswered: false };
}

/** `usualMs`: what lies between two looks of a supervisor whose machine lets it work. */
export type Look = { nowMs: number; isAnswered: boolean; usualMs: number };

/**
 * Adds a look. One that came far too late counts for nothing: while a machine is suspended, or so busy that even the
 * supervisor does not get its turn, no service has refused to answer.
 */
export function addLook({ lookedMs, silentMs, hasAnswered }: Silence, { nowMs, isAnswered, usualMs }: Look): Silence {
  if (isAnswered) return { lookedMs: nowMs, silentMs: 0, hasAnswered: true };
  const passedMs = nowMs - lookedMs;
  const isLate = passedMs > 2 * usualMs;
  return { lookedMs: nowMs, silentMs: isLate ? silentMs : silentMs + passedMs, hasAnswered };
}
