import { decidePromotions, type Judged } from "./promotions.ts";
import { decideOtherwise, type Decision, type Search } from "./decide.ts";
import { type RungTrial, type Schedule, scheduleAt, type Limit, lossOf, nextRung, spaceAt } from "./schedule.ts";
import type { Outcome, Trial } from "./trial.ts";

/** A trial with its rungs and the step at which it was sampled. Steps number all events of the search. */
export type SearchedTrial = Decision &
  RungTrial & { step: number; outcome: Outcome | null; outcomeStep: number | null };

/** Returns the number of a search's latest step (sampling, result, verdict or change); -1 before the first. */
export function latestStep(trials: readonly SearchedTrial[], limits: readonly Limit[]): number {
  const ofTrials = trials.flatMap(({ step, outcomeStep, reached }) => {
    return [step, outcomeStep ?? step, ...reached.flatMap((one) => [one.step, one.verdict?.step ?? one.step])];
  });
  return [...ofTrials, ...limits.map(({ step }) => step)].reduce((most, step) => Math.max(most, step), -1);
}

/** Returns true if a trial occupies a worker; with rungs of seeds, a trial that waits for its verdict does not. */
export function isRunning(schedule: Schedule, trial: SearchedTrial): boolean {
  return trial.outcome === null && (schedule.of === "iterations" || nextRung(schedule, trial) !== undefined);
}

/** Converts a trial's record. On rungs of seeds, an unfinished trial counts as measured by its results so far. */
export function toTrial(schedule: Schedule, { number, point, outcome, reached }: SearchedTrial): Trial {
  if (outcome !== null) return { number, point, outcome };
  const last = reached.at(-1);
  if (schedule.of === "iterations" || last === undefined) return { number, point };
  return { number, point, outcome: { kind: "measured", losses: [lossOf(last)] } };
}

type Searched = { trials: readonly SearchedTrial[]; limits: readonly Limit[] };

/**
 * Repeats each sampled trial and each verdict (promote or stop) of a search from the events before it. Returns the
 * steps whose repetition differs from the stored search.
 */
export function replayRungs(
  search: Search,
  schedule: Schedule,
  { trials, limits }: Searched,
): { step: number; text: string }[] {
  const draws = trials.map((trial) => ({ step: trial.step, trial }));
  const verdicts = trials.flatMap(({ number, reached }) =>
    reached.flatMap(({ rung, verdict }) =>
      verdict ? [{ step: verdict.step, judged: { number, rung, ...verdict } }] : [],
    ),
  );
  const differences: { step: number; text: string }[] = [];
  const add = (step: number, text: string) => differences.push({ step, text });
  let waiting: Judged[] = [];
  for (const event of [...draws, ...verdicts].toSorted((a, b) => a.step - b.step)) {
    const { step } = event;
    const before = trials.flatMap((trial) => asOf(trial, step));
    if ("trial" in event) {
      const known = before.map((one) => toTrial(schedule, one));
      const again = decideOtherwise({ ...search, space: spaceAt(search.space, limits, step) }, known, event.trial);
      if (again) add(step, `trial ${event.trial.number} would be sampled with ${JSON.stringify(again.point)}`);
      continue;
    }
    // The verdicts of one decision are recomputed together and then compared one by one.
    const [next, ...rest] = waiting.length > 0 ? waiting : judgedNext(scheduleAt(schedule, limits, step), before);
    waiting = rest;
    if (next === undefined || textOf(next) !== textOf(event.judged)) {
      const instead = next === undefined ? "nothing" : `trial ${next.number} ${next.kind} (${next.reason})`;
      add(step, `stored: trial ${event.judged.number} ${event.judged.kind}; recomputed: ${instead}`);
    }
  }
  return differences;
}

function judgedNext(schedule: Schedule, before: readonly SearchedTrial[]): Judged[] {
  const next = decidePromotions(schedule, before);
  return next.do === "judge" ? next.judged : [];
}

function textOf({ number, rung, kind, known }: Judged): string {
  return JSON.stringify([number, rung, kind, known]);
}

function asOf(trial: SearchedTrial, step: number): SearchedTrial[] {
  if (trial.step >= step) return [];
  const reached = trial.reached
    .filter((one) => one.step < step)
    .map((one) => ({ ...one, verdict: one.verdict !== null && one.verdict.step < step ? one.verdict : null }));
  const isKnown = trial.outcomeStep !== null && trial.outcomeStep < step;
  return [{ ...trial, reached, outcome: isKnown ? trial.outcome : null }];
}
