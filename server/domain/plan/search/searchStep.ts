import { groupBy } from "#packages/base";
import { decideClimb, type Judged } from "./promotions.ts";
import { type ClimbRun, isDue, judgeClimber, stoppedOutcome } from "./rungResults.ts";
import { decideTrial, type Decision, isDrawnElsewhere } from "./decide.ts";
import { isOverruled, type Ladder, ladderAt, type Limit, type Reached } from "./schedule.ts";
import { finalLoss } from "./account.ts";
import { isRunning, latestStep, toTrial, type ClimbedTrial } from "./replayRungs.ts";
import type { Objective } from "./objective.ts";
import type { Outcome } from "./trial.ts";
import type { Cell } from "../sweep/cell.ts";
import { endsSearch, firstObjective, type SearchPlan } from "./searchPlan.ts";
import { makeTrialCell, searchOfArm } from "./searchTrials.ts";

/** A trial with the runs of its configuration. `isRead`: the curves of these runs are loaded. */
export type StepTrial = ClimbedTrial & { runs: readonly ClimbRun[]; isRead: boolean };

export type ArmStep = {
  outcomes: { number: number; outcome: Outcome; step: number }[];
  reached: { number: number; rung: number; losses: readonly number[]; step: number }[];
  verdicts: (Judged & { step: number })[];
  drawn: (Decision & { step: number; cell: Omit<Cell, "index"> | null })[];
  limits: Limit[];
};

type Arm = {
  search: SearchPlan;
  ladder: Ladder;
  cell: Omit<Cell, "index">;
  limits: readonly Limit[];
  /** Description of the search budget that is exhausted, so that no trial may be added; undefined if none is. */
  spent?: string | undefined;
};

/** Records results at rungs, decides about trials and samples new trials, until no further decision is possible. */
export function stepArm({ search, cell, limits, spent, ...arm }: Arm, before: readonly StepTrial[]): ArmStep {
  const trials = before.map((trial) => ({ ...trial }));
  const made: ArmStep = { outcomes: [], reached: [], verdicts: [], drawn: [], limits: [] };
  const ofArm = searchOfArm(search, cell, limits);
  let ladder = ladderAt(arm.ladder, limits);
  const isFree = isOverruled(limits);
  let step = latestStep(trials, limits) + 1;
  const endHere = (reason: string) => {
    made.limits.push({ step, kind: "ended", trials: trials.length, reason });
    ladder = { ...ladder, numEntered: trials.length };
    step += 1;
  };
  for (;;) {
    for (const trial of trials) {
      const added = takeIn(ladder, trial, { objective: firstObjective(search), step });
      if (added === undefined) continue;
      made.reached.push({ number: trial.number, ...added });
      if (trial.outcome) made.outcomes.push({ number: trial.number, outcome: trial.outcome, step });
      step += 1;
    }
    const canEnd = !isFree && trials.length < ladder.numEntered;
    const whole = trials.filter((trial) => finalLoss(ladder, trial) !== undefined);
    const ending = canEnd ? endsSearch(search, whole) : undefined;
    if (ending !== undefined) endHere(ending);
    const next = decideClimb(ladder, trials);
    const hasWorker = trials.filter((trial) => isRunning(ladder, trial)).length < search.parallel;
    if (next.do === "judge") {
      // A promotion needs a worker only if trials wait at their rungs for it; otherwise all decisions apply at once.
      const takesWorker = ladder.of === "seeds" && ladder.selection.kind === "asha";
      if (takesWorker && !hasWorker && next.judged[0]?.kind === "promoted") return made;
      for (const judged of next.judged) {
        made.verdicts.push({ ...judged, step });
        const outcome = applyVerdict(ladder, trials, { ...judged, step });
        if (outcome) made.outcomes.push({ number: judged.number, outcome, step });
        step += 1;
      }
    } else if (next.do === "enter" && hasWorker && !isFree && spent !== undefined) endHere(spent);
    else if (next.do === "enter" && hasWorker && !isDrawnElsewhere(ofArm, trials.length)) {
      const known = trials.map((trial) => toTrial(ladder, trial));
      const decision = decideTrial(ofArm, known);
      const tried = makeTrialCell(ofArm, cell, decision);
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

function takeIn(ladder: Ladder, trial: StepTrial, { objective, step }: { objective: Objective; step: number }) {
  if (trial.outcome !== null || !trial.isRead || !isDue(ladder, trial, trial.runs)) return undefined;
  const { rung, losses, outcome } = judgeClimber(ladder, { climber: trial, runs: trial.runs, objective });
  trial.reached = [...trial.reached, { rung, losses, step, verdict: null }];
  trial.outcome = outcome ?? null;
  trial.outcomeStep = outcome ? step : null;
  return { rung, losses, step };
}

/** Records a verdict on a trial. Returns the outcome of a trial that it stops; undefined if it stops none. */
function applyVerdict(ladder: Ladder, trials: StepTrial[], judged: Judged & { step: number }): Outcome | undefined {
  const trial = trials.find(({ number }) => number === judged.number);
  if (trial === undefined) return undefined;
  const { rung, number: _, ...verdict } = judged;
  trial.reached = trial.reached.map((one) => (one.rung === rung ? { ...one, verdict } : one));
  if (judged.kind !== "stopped" || trial.outcome !== null) return undefined;
  const losses = trial.reached.find((one) => one.rung === rung)?.losses ?? [];
  const stopped = stoppedOutcome(ladder.rungs[rung] ?? NaN, losses);
  // If rungs are counted in seeds, a stopped trial was trained to the end, with fewer seeds.
  trial.outcome =
    ladder.of === "seeds" && stopped.kind === "stopped" ? { kind: "measured", losses: stopped.losses } : stopped;
  trial.outcomeStep = judged.step;
  return trial.outcome;
}

export function countSeeds({ rungs }: Ladder, { kind, rung }: Pick<Judged, "kind" | "rung">): number {
  return (kind === "letGoOn" ? rungs.at(-1) : rungs[rung + 1]) ?? 0;
}

export function joinRungs<Kept extends Omit<ClimbedTrial, "reached"> & { arm: number; cellId: number | null }>(
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
