import { groupBy } from "#packages/base";
import { decidePromotions, type Judged } from "../search/promotions.ts";
import { type RungRun, isDue, judgeAtRung, stoppedOutcome } from "../search/rungResults.ts";
import { decideTrial, type Decision, isDrawnElsewhere } from "../search/decide.ts";
import { isOverruled, type Schedule, scheduleAt, type Limit, type Reached } from "../search/schedule.ts";
import { finalLoss } from "../search/account.ts";
import { isRunning, latestStep, toTrial, type SearchedTrial } from "../search/replayRungs.ts";
import type { Objective } from "../search/objective.ts";
import type { Outcome } from "../search/trial.ts";
import type { Cell } from "./cell.ts";
import { endsSearch, firstObjective, type SearchPlan } from "../search/searchPlan.ts";
import { makeTrialCell, searchOf } from "./expand/searchTrials.ts";

/** A trial with the runs of its configuration. `isRead`: the curves of these runs are loaded. */
export type StepTrial = SearchedTrial & { runs: readonly RungRun[]; isRead: boolean };

export type SearchRound = {
  outcomes: { number: number; outcome: Outcome; step: number }[];
  reached: { number: number; rung: number; losses: readonly number[]; step: number }[];
  verdicts: (Judged & { step: number })[];
  drawn: (Decision & { step: number; cell: Omit<Cell, "index"> | null })[];
  limits: Limit[];
};

type Searched = {
  search: SearchPlan;
  schedule: Schedule;
  cell: Omit<Cell, "index">;
  limits: readonly Limit[];
  /** Description of the search budget that is exhausted, so that no trial may be added; undefined if none is. */
  spent?: string | undefined;
};

/** Records results at rungs, decides about trials and samples new trials, until no further decision is possible. */
export function stepSearch(
  { search, cell, limits, spent, ...searched }: Searched,
  before: readonly StepTrial[],
): SearchRound {
  const trials = before.map((trial) => ({ ...trial }));
  const made: SearchRound = { outcomes: [], reached: [], verdicts: [], drawn: [], limits: [] };
  const own = searchOf(search, cell, limits);
  let schedule = scheduleAt(searched.schedule, limits);
  const isFree = isOverruled(limits);
  let step = latestStep(trials, limits) + 1;
  const endHere = (reason: string) => {
    made.limits.push({ step, kind: "ended", trials: trials.length, reason });
    schedule = { ...schedule, numEntered: trials.length };
    step += 1;
  };
  for (;;) {
    for (const trial of trials) {
      const added = takeIn(schedule, trial, { objective: firstObjective(search), step });
      if (added === undefined) continue;
      made.reached.push({ number: trial.number, ...added });
      if (trial.outcome) made.outcomes.push({ number: trial.number, outcome: trial.outcome, step });
      step += 1;
    }
    const canEnd = !isFree && trials.length < schedule.numEntered;
    const whole = trials.filter((trial) => finalLoss(schedule, trial) !== undefined);
    const ending = canEnd ? endsSearch(search, whole) : undefined;
    if (ending !== undefined) endHere(ending);
    const next = decidePromotions(schedule, trials);
    const hasWorker = trials.filter((trial) => isRunning(schedule, trial)).length < search.parallel;
    if (next.do === "judge") {
      // A promotion needs a worker only if trials wait at their rungs for it; otherwise all decisions apply at once.
      const takesWorker = schedule.of === "seeds" && schedule.selection.kind === "asha";
      if (takesWorker && !hasWorker && next.judged[0]?.kind === "promoted") return made;
      for (const judged of next.judged) {
        made.verdicts.push({ ...judged, step });
        const outcome = applyVerdict(schedule, trials, { ...judged, step });
        if (outcome) made.outcomes.push({ number: judged.number, outcome, step });
        step += 1;
      }
    } else if (next.do === "enter" && hasWorker && !isFree && spent !== undefined) endHere(spent);
    else if (next.do === "enter" && hasWorker && !isDrawnElsewhere(own, trials.length)) {
      const known = trials.map((trial) => toTrial(schedule, trial));
      const decision = decideTrial(own, known);
      const tried = makeTrialCell(own, cell, decision);
      const isRefused = "problem" in tried;
      made.drawn.push({ ...decision, step, cell: isRefused ? null : tried });
      trials.push({
        ...decision,
        step,
        reached: isRefused ? refusedAt(step) : [],
        outcome: isRefused ? { kind: "lost" } : null,
        outcomeStep: isRefused ? step : null,
        runs: [],
        isRead: false,
      });
      step += 1;
    } else return made;
  }
}

function takeIn(schedule: Schedule, trial: StepTrial, { objective, step }: { objective: Objective; step: number }) {
  if (trial.outcome !== null || !trial.isRead || !isDue(schedule, trial, trial.runs)) return undefined;
  const { rung, losses, outcome } = judgeAtRung(schedule, { trial, runs: trial.runs, objective });
  trial.reached = [...trial.reached, { rung, losses, step, verdict: null }];
  trial.outcome = outcome ?? null;
  trial.outcomeStep = outcome ? step : null;
  return { rung, losses, step };
}

/** Records a verdict on a trial. Returns the outcome of a trial that it stops; undefined if it stops none. */
function applyVerdict(schedule: Schedule, trials: StepTrial[], judged: Judged & { step: number }): Outcome | undefined {
  const trial = trials.find(({ number }) => number === judged.number);
  if (trial === undefined) return undefined;
  const { rung, number: _, ...verdict } = judged;
  trial.reached = trial.reached.map((one) => (one.rung === rung ? { ...one, verdict } : one));
  if (judged.kind !== "stopped" || trial.outcome !== null) return undefined;
  const losses = trial.reached.find((one) => one.rung === rung)?.losses ?? [];
  const stopped = stoppedOutcome(schedule.rungs[rung] ?? NaN, losses);
  // If rungs are counted in seeds, a stopped trial was trained to the end, with fewer seeds.
  trial.outcome =
    schedule.of === "seeds" && stopped.kind === "stopped" ? { kind: "measured", losses: stopped.losses } : stopped;
  trial.outcomeStep = judged.step;
  return trial.outcome;
}

export function countSeeds({ rungs }: Schedule, { kind, rung }: Pick<Judged, "kind" | "rung">): number {
  return (kind === "letGoOn" ? rungs.at(-1) : rungs[rung + 1]) ?? 0;
}

export function joinRungs<Kept extends Omit<SearchedTrial, "reached"> & { arm: number; cellId: number | null }>(
  decisions: readonly Kept[],
  rungs: readonly (Reached & { arm: number; number: number })[],
): (Kept & { reached: Reached[] })[] {
  const reachedBy = groupBy(rungs, ({ arm, number }) => `${arm} ${number}`);
  return decisions.map((decision) => {
    if (decision.cellId === null) return { ...decision, reached: refusedAt(decision.step) };
    const reached = reachedBy.get(`${decision.arm} ${decision.number}`) ?? [];
    const own = reached.map(({ rung, losses, step, verdict }) => ({ rung, losses, step, verdict }));
    return { ...decision, reached: own };
  });
}

/** Returns the rungs of a trial with invalid settings: it reaches the first rung without a result. */
function refusedAt(step: number): Reached[] {
  return [{ rung: 0, losses: [], step, verdict: null }];
}
