import { type RungTrial, type Schedule, nextRung } from "./schedule.ts";
import { finalMean, type MetricCurve, type Objective, toLoss } from "./objective.ts";
import { judgeTrial } from "./outcome.ts";
import type { Outcome } from "./trial.ts";

/** Progress of one run of an unfinished trial; a trial has one run per seed. */
export type RungRun = {
  seedIndex: number;
  /** How the run ended. `stopped`: ended by the search; `lost`: failed; null: still running. */
  end: "completed" | "collapsed" | "stopped" | "lost" | null;
  /** Latest iteration of the run, iteration of its collapse, or the full budget if the run completed. */
  iteration: number;
  curve: MetricCurve;
};

/** New result of a trial: its losses at the rung that it just reached, and its outcome if the trial is finished. */
export type Result = { rung: number; losses: number[]; outcome?: Outcome };

/** Returns true if a trial has reached its next rung; it requires no curves, only the iterations of its runs. */
export function isDue(schedule: Schedule, trial: RungTrial, runs: readonly Omit<RungRun, "curve">[]): boolean {
  const rung = nextRung(schedule, trial);
  if (rung === undefined) return false;
  const asked = schedule.rungs[rung] ?? NaN;
  const counted = countedRuns(schedule, rung, runs);
  if (counted.length === 0) return false;
  if (schedule.of === "seeds") return counted.length >= asked && counted.every(({ end }) => end !== null);
  // The required iteration is complete once the next iteration has begun, or the run has ended.
  const isThere = ({ end, iteration }: Omit<RungRun, "curve">) => end !== null || iteration > asked;
  return rung === schedule.rungs.length - 1 ? counted.every(({ end }) => end !== null) : counted.every(isThere);
}

/** Computes the losses at the next rung, and the outcome if finished, of a trial for which `isDue` returned true. */
export function judgeAtRung(
  schedule: Schedule,
  { trial, runs, objective }: { trial: RungTrial; runs: readonly RungRun[]; objective: Objective },
): Result {
  const rung = nextRung(schedule, trial) ?? 0;
  const counted = countedRuns(schedule, rung, runs);
  const isLast = rung === schedule.rungs.length - 1;
  const at = schedule.of === "iterations" && !isLast ? (schedule.rungs[rung] ?? NaN) : Infinity;
  const losses = counted.map((run) => lossAt(run, at, objective));
  const isOver = counted.every(({ end }) => end !== null);
  // Trials with equal settings share runs. A run that ended early with another trial has no result at later rungs.
  const isCut = counted.some(({ end, iteration }) => end === "stopped" && iteration < at);
  if (isCut || losses.every(Number.isNaN)) return { rung, losses: [], outcome: lastKnown(schedule, trial) };
  const outcome = judgeTrial(
    counted.map(({ end, iteration, curve }) => ({
      end: end === "stopped" ? "lost" : (end ?? "lost"),
      iteration,
      curves: { [objective.metric]: curve },
    })),
    { objectives: [objective], constraints: [] },
  );
  const isFinal = isLast || (isOver && outcome.kind !== "measured");
  return { rung, losses, ...(isFinal && { outcome }) };
}

function countedRuns<Run extends Omit<RungRun, "curve">>(
  schedule: Schedule,
  rung: number,
  runs: readonly Run[],
): Run[] {
  const maxSeeds = schedule.of === "seeds" ? (schedule.rungs[rung] ?? 0) : Infinity;
  return runs
    .filter(({ seedIndex }) => seedIndex >= 0 && seedIndex < maxSeeds)
    .toSorted((a, b) => a.seedIndex - b.seedIndex);
}

/** Loss of a run at an iteration: NaN if it failed before, Infinity if it collapsed or has no finite value. */
function lossAt({ end, iteration, curve }: RungRun, at: number, objective: Objective): number {
  if (end === "lost" && iteration < at) return NaN;
  if (end === "collapsed" && iteration <= at) return Infinity;
  const value = finalMean(curve, Math.min(at, iteration));
  if (!Number.isFinite(value)) return Infinity;
  return toLoss(objective, value);
}

function lastKnown({ rungs }: Schedule, { reached }: RungTrial): Outcome {
  const last = reached.at(-1);
  if (last === undefined) return { kind: "lost" };
  return stoppedOutcome(rungs[last.rung] ?? NaN, last.losses);
}

/** Returns the outcome of a trial that ends at a rung: stopped, collapsed (infinite loss), or lost (no loss). */
export function stoppedOutcome(iteration: number, losses: readonly number[]): Outcome {
  const known = losses.filter((loss) => !Number.isNaN(loss));
  if (known.length === 0) return { kind: "lost" };
  const loss = known.reduce((sum, one) => sum + one, 0) / known.length;
  return Number.isFinite(loss) ? { kind: "stopped", iteration, losses: [loss] } : { kind: "collapsed", iteration };
}
