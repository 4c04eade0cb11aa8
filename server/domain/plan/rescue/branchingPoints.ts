/**
 * Lists the iterations after which to branch: the first alarm minus each distance in `before`, or the start. Branches of
 * a run that falls at once begin there, because those from its alarm on have collapsed already.
 */
export function iterationsBefore(alarm: number, before: readonly number[] = [0, 10, 20]): number[] {
  return [...new Set(before.map((lead) => Math.max(0, alarm - lead)))];
}

/** Replaces each iteration by the latest checkpoint up to it, else by the first; without checkpoints, keeps it. */
export function toKept(iterations: readonly number[], steps: readonly number[]): number[] {
  return [...new Set(iterations.map((one) => steps.findLast((step) => step <= one) ?? steps[0] ?? one))];
}
