import { z } from "zod";
import { split } from "#trainer/spec/rng.ts";
import type { StatusChange } from "#server/domain/stability/online.ts";
import { formatCount } from "#server/domain/words.ts";

/** When a sweep's runs are stopped before their budget is used up, by where the detector says that they stand. */
export const Stopping = z.strictObject({
  /** `collapsed`: at once; `unstable`: after so many iterations of it in a row (a collapse counts too). */
  at: z.enum(["collapsed", "unstable"]),
  iterations: z.int().min(1).max(100_000).default(5),
  /** Share of runs that are let go on all the same: what becomes of them tells how many stops were false. */
  letGoOnShare: z.number().min(0).max(1).default(0.1),
  /** Decides which runs those are. */
  seed: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .default(0),
});
export type Stopping = z.infer<typeof Stopping>;

export type StoppingRun = {
  /** Hash of the cell's specification, and the run's seed: a run's lot does not depend on its neighbours. */
  specHash: string;
  seed: number;
  changes: readonly StatusChange[];
  /** The newest iteration that the detector has read. */
  iteration: number;
};

export type StoppingDecision = { stop: boolean; iteration: number; text: string };

/** What the rule says of a run that goes on; undefined while it has nothing against it. */
export function decideStopping(rule: Stopping, run: StoppingRun): StoppingDecision | undefined {
  const found = findReason(rule, run);
  if (found === undefined) return undefined;
  const stop = !isLetGoOn(rule, run);
  const what = found.status === "collapsed" ? "collapsed" : `unstable for ${formatCount(rule.iterations, "iteration")}`;
  const then = stop ? "the sweep's rule stops it" : "let go on all the same, to measure false stops";
  return { stop, iteration: found.iteration, text: `${what} at iteration ${found.iteration}: ${then}` };
}

/** Drawn by the rule's seed and the run's own identity, before anybody knows how it fares. */
export function isLetGoOn({ letGoOnShare, seed }: Stopping, run: Pick<StoppingRun, "specHash" | "seed">): boolean {
  return split(seed, "letGoOn", run.specHash, run.seed).next() < letGoOnShare;
}

function findReason({ at, iterations }: Stopping, { changes, iteration }: StoppingRun) {
  const collapse = changes.find(({ status }) => status === "collapsed");
  const isBad = (status: StatusChange["status"]) => status === "unstable" || status === "collapsed";
  if (at === "unstable") {
    for (const [i, change] of changes.entries()) {
      if (!isBad(change.status)) continue;
      // Unstable, then collapsed, is one stretch.
      const end = changes.slice(i).find(({ status }) => !isBad(status))?.iteration ?? iteration + 1;
      const due = change.iteration + iterations - 1;
      if (due < end && (collapse === undefined || due < collapse.iteration)) {
        return { status: "unstable" as const, iteration: due };
      }
    }
  }
  return collapse && { status: "collapsed" as const, iteration: collapse.iteration };
}

/** One run to which a rule applied, as the account needs it. */
export type StoppedRun = {
  stopped: boolean;
  /** Where the rule applied, where the run ended, and where it would have ended. */
  iteration: number;
  latestIteration: number;
  budget: number;
  /** Time of its attempts so far, over all the slots that it holds. */
  slotMs: number;
  /** By hindsight, of a run that was let go on and is over: whether it really collapsed. */
  collapsed: boolean | null;
};

export type StoppingAccount = {
  numStopped: number;
  numLetGoOn: number;
  /** Of the runs let go on that are over: how many had not collapsed after all, the rule's false stops. */
  numFalse: number;
  numJudged: number;
  /** What stopped runs did not use, at the pace of each. */
  savedMs: number;
  /** What was spent after the rule applied: by stopped runs until they ended, by others because they were let go on. */
  wastedMs: number;
};

/** What a rule has saved and cost so far. */
export function accountOf(runs: readonly StoppedRun[]): StoppingAccount {
  const paceOf = ({ slotMs, latestIteration }: StoppedRun) => (latestIteration > 0 ? slotMs / latestIteration : 0);
  const sum = (list: readonly StoppedRun[], of: (run: StoppedRun) => number) =>
    list.reduce((total, run) => total + Math.max(0, of(run)), 0);
  const stopped = runs.filter((run) => run.stopped);
  const letGoOn = runs.filter((run) => !run.stopped);
  const judged = letGoOn.filter(({ collapsed }) => collapsed !== null);
  const fallen = runs.filter((run) => run.stopped || run.collapsed !== false);
  return {
    numStopped: stopped.length,
    numLetGoOn: letGoOn.length,
    numFalse: judged.filter(({ collapsed }) => collapsed === false).length,
    numJudged: judged.length,
    savedMs: sum(stopped, (run) => (run.budget - run.latestIteration) * paceOf(run)),
    wastedMs: sum(fallen, (run) => (run.latestIteration - run.iteration) * paceOf(run)),
  };
}
