import { type Interval, wilsonInterval } from "#packages/statistics";
import { isControlTrial, type Schedule } from "./schedule.ts";
import type { SearchedTrial } from "./replayRungs.ts";

/** Iterations and slot time (ms) that a trial's runs used. `whole`: iterations if all its seeds were fully trained. */
export type Used = { iterations: number; whole: number; slotMs: number };

export type SearchAccount = {
  numStopped: number;
  numControls: number;
  /** Totals over finished trials: iterations used, iterations saved, and slot time (ms) saved at the average speed. */
  usedIterations: number;
  savedIterations: number;
  savedMs: number;
  /**
   * `numJudged`: number of finished controls, which are trials that the search's stopping rule stopped but that train
   * on. `numWrong`: number of controls that beat the best fully trained trial that is not a control.
   */
  numJudged: number;
  numWrong: number;
  wrong: Interval | null;
};

/** Computes the training that a search of one method and environment saved by stopping trials, and its wrong stops. */
export function accountOf(
  schedule: Schedule,
  trials: readonly SearchedTrial[],
  usedBy: (trial: SearchedTrial) => Used,
): SearchAccount {
  const isOver = (trial: SearchedTrial) => trial.outcome !== null;
  const over = trials.filter(isOver).map(usedBy);
  const sum = (of: (used: Used) => number) => over.reduce((total, used) => total + of(used), 0);
  const usedIterations = sum(({ iterations }) => iterations);
  const savedIterations = sum(({ iterations, whole }) => Math.max(0, whole - iterations));
  const controls = trials.filter(isControlTrial);
  const whole = trials.filter((trial) => !isControlTrial(trial)).flatMap((trial) => finalLoss(schedule, trial) ?? []);
  const best = Math.min(Infinity, ...whole);
  const judged = controls.filter(isOver);
  const numWrong = judged.filter((trial) => (finalLoss(schedule, trial) ?? Infinity) < best).length;
  return {
    numStopped: trials.filter(({ reached }) => reached.some(({ verdict }) => verdict?.kind === "stopped")).length,
    numControls: controls.length,
    usedIterations,
    savedIterations,
    savedMs: usedIterations > 0 ? (savedIterations * sum(({ slotMs }) => slotMs)) / usedIterations : 0,
    numJudged: judged.length,
    numWrong,
    wrong: judged.length > 0 ? wilsonInterval(numWrong, judged.length) : null,
  };
}

/** Loss of a trial that was trained with the full budget; undefined for other trials. */
export function finalLoss({ rungs }: Pick<Schedule, "rungs">, { reached, outcome }: SearchedTrial): number | undefined {
  const isWhole = reached.some(({ rung, losses }) => rung === rungs.length - 1 && losses.length > 0);
  return isWhole && outcome?.kind === "measured" ? outcome.losses[0] : undefined;
}

export function sumAccounts(accounts: readonly SearchAccount[]): SearchAccount {
  const sum = (of: (account: SearchAccount) => number) => accounts.reduce((total, account) => total + of(account), 0);
  const [numJudged, numWrong] = [sum((one) => one.numJudged), sum((one) => one.numWrong)];
  return {
    numStopped: sum((one) => one.numStopped),
    numControls: sum((one) => one.numControls),
    usedIterations: sum((one) => one.usedIterations),
    savedIterations: sum((one) => one.savedIterations),
    savedMs: sum((one) => one.savedMs),
    numJudged,
    numWrong,
    wrong: numJudged > 0 ? wilsonInterval(numWrong, numJudged) : null,
  };
}
