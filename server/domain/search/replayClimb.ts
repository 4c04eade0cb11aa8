import { decideClimb, type Judged } from "./climb.ts";
import { decideOtherwise, type Decision, type Search } from "./decide.ts";
import { type Climber, type Ladder, ladderAt, type Limit, lossOf, nextRung, spaceAt } from "./ladder.ts";
import type { Outcome, Trial } from "./trial.ts";

/** A trial of an arm that climbs rungs, with its place in the order of all that happened there. */
export type ClimbedTrial = Decision & Climber & { step: number; outcome: Outcome | null; outcomeStep: number | null };

/** The last place that is taken; -1 where nothing happened yet. */
export function latestStep(trials: readonly ClimbedTrial[], limits: readonly Limit[]): number {
  const ofTrials = trials.flatMap((trial) => [trial.step, trial.outcomeStep ?? trial.step, ...stepsOf(trial)]);
  return [...ofTrials, ...limits.map(({ step }) => step)].reduce((most, step) => Math.max(most, step), -1);
}

function stepsOf({ reached }: Climber): number[] {
  return reached.flatMap(({ step, verdict }) => [step, verdict?.step ?? step]);
}

/** On rungs of seeds a trial that waits for its verdict takes nobody's place. */
export function isRunning(ladder: Ladder, trial: ClimbedTrial): boolean {
  return trial.outcome === null && (ladder.of === "iterations" || nextRung(ladder, trial) !== undefined);
}

/** A trial as the sampler knows it: on rungs of seeds by what it came to so far. */
export function toTrial(ladder: Ladder, { number, point, outcome, reached }: ClimbedTrial): Trial {
  if (outcome !== null) return { number, point, outcome };
  const last = reached.at(-1);
  if (ladder.of === "iterations" || last === undefined) return { number, point };
  return { number, point, outcome: { kind: "measured", losses: [lossOf(last)] } };
}

/** What happened at one place of the order and would come out otherwise. */
export type Difference = { step: number; text: string };

type Climbed = { trials: readonly ClimbedTrial[]; limits: readonly Limit[] };

/** Whether each trial drawn and each verdict of an arm is what the search decides from all that had happened before. */
export function replayClimb(search: Search, ladder: Ladder, { trials, limits }: Climbed): Difference[] {
  const draws = trials.map((trial) => ({ step: trial.step, trial }));
  const verdicts = trials.flatMap(({ number, reached }) =>
    reached.flatMap(({ rung, verdict }) =>
      verdict ? [{ step: verdict.step, judged: { number, rung, ...verdict } }] : [],
    ),
  );
  const differences: Difference[] = [];
  let waiting: Judged[] = [];
  for (const event of [...draws, ...verdicts].toSorted((a, b) => a.step - b.step)) {
    const { step } = event;
    const before = trials.flatMap((trial) => asOf(trial, step));
    if ("trial" in event) {
      const known = before.map((one) => toTrial(ladder, one));
      const again = decideOtherwise({ ...search, space: spaceAt(search.space, limits, step) }, known, event.trial);
      if (again)
        differences.push({ step, text: `trial ${event.trial.number} drawn: today ${JSON.stringify(again.point)}` });
      continue;
    }
    // Verdicts that were made together are found together.
    const [next, ...rest] = waiting.length > 0 ? waiting : judgedNext(ladderAt(ladder, limits, step), before);
    waiting = rest;
    if (next === undefined || textOf(next) !== textOf(event.judged)) {
      const instead = next === undefined ? "nothing" : `trial ${next.number} ${next.kind} (${next.reason})`;
      differences.push({ step, text: `trial ${event.judged.number} ${event.judged.kind}: today ${instead}` });
    }
  }
  return differences;
}

function judgedNext(ladder: Ladder, before: readonly ClimbedTrial[]): Judged[] {
  const next = decideClimb(ladder, before);
  return next.do === "judge" ? next.judged : [];
}

function textOf({ number, rung, kind, known, reason }: Judged): string {
  return JSON.stringify([number, rung, kind, known, reason]);
}

/** A trial as it stood before a place in the order; none where it had not entered. */
function asOf(trial: ClimbedTrial, step: number): ClimbedTrial[] {
  if (trial.step >= step) return [];
  const reached = trial.reached
    .filter((one) => one.step < step)
    .map((one) => ({ ...one, verdict: one.verdict !== null && one.verdict.step < step ? one.verdict : null }));
  const isKnown = trial.outcomeStep !== null && trial.outcomeStep < step;
  return [{ ...trial, reached, outcome: isKnown ? trial.outcome : null }];
}
