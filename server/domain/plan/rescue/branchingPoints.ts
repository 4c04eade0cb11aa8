import type { Alarm, Outcome } from "#packages/detector";

/**
 * Lists the iterations after which to branch: the first alarm minus each distance in `before`, or the start. Branches of
 * a run that falls at once begin there, because those from its alarm on have collapsed already.
 */
export function iterationsBefore(alarm: number, before: readonly number[] = [0, 10, 20]): number[] {
  return [...new Set(before.map((lead) => Math.max(0, alarm - lead)))];
}

type Known = { alarm: Pick<Alarm, "word" | "iteration">; hindsight: Pick<Outcome, "iteration"> };

/**
 * Lists the iterations after which to branch a run that is judged: from the first alarm, or from the last iteration
 * before its collapse if the alarm came later. Undefined without an alarm of "unstable" or worse.
 */
export function iterationsToBranch({ alarm: { word, iteration }, hindsight }: Known): number[] | undefined {
  if (iteration === null || (word !== "unstable" && word !== "collapsed")) return undefined;
  return iterationsBefore(Math.min(iteration, Math.max(0, (hindsight.iteration ?? Infinity) - 1)));
}

/** Replaces each iteration by the latest checkpoint up to it, else by the first; without checkpoints, keeps it. */
export function toKept(iterations: readonly number[], steps: readonly number[]): number[] {
  return [...new Set(iterations.map((one) => steps.findLast((step) => step <= one) ?? steps[0] ?? one))];
}
