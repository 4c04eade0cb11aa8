/** Time by which a clock may be ahead of the studio's; later times would stay on top of every list. */
export const maxAheadMs = 24 * 3600 * 1000;

export function isFuture(timeMs: number, nowMs = Date.now()): boolean {
  return timeMs > nowMs + maxAheadMs;
}

/** Describes a time that is refused. */
export function describeFuture(timeMs: number): string {
  return `is ${new Date(timeMs).toISOString()}, which must be at most a day after now (${new Date().toISOString()}): check the clock that wrote it`;
}
