import { z } from "zod";
import { split } from "#trainer/spec/rng.ts";
import type { StatusChange } from "#packages/detector";
import { formatCount } from "#packages/base";
import { makeSeed } from "../search/distribution.ts";

/** Rule that stops a sweep's runs early, depending on the status that the collapse detector reports. */
export const Stopping = z.strictObject({
  /** Status that stops a run: `collapsed` at once, `unstable` after consecutive unstable or collapsed iterations. */
  at: z.enum(["collapsed", "unstable"]).meta({
    title: "Stop a run",
    description:
      "Detector status that stops a run: collapsed (stops the run at once), or unstable (stops the run after a number of consecutive iterations).",
  }),
  iterations: z
    .int()
    .min(1)
    .max(100_000)
    .meta({
      title: "Unstable iterations",
      description: "Number of consecutive unstable iterations after which a run is stopped.",
    })
    .default(5),
  /** Fraction of stopped runs that nevertheless train on as controls, which show how many stops were false. */
  letGoOnShare: z
    .number()
    .min(0)
    .max(1)
    .meta({
      title: "Fraction of controls",
      description:
        "Fraction of the runs to be stopped that are trained to the end anyway, to measure how many stops are wrong.",
    })
    .default(0.1),
  /** Seed of the random choice of controls. */
  seed: makeSeed()
    .meta({ title: "Seed of the controls", description: "Seed of the random choice of controls." })
    .default(0),
});
export type Stopping = z.infer<typeof Stopping>;

export type StoppingRun = {
  /** Hash of the cell's specification, which determines with the run's seed if the run is a control. */
  specHash: string;
  seed: number;
  changes: readonly StatusChange[];
  /** Latest iteration that the detector has processed. */
  iteration: number;
};

export type StoppingDecision = { stop: boolean; iteration: number; text: string };

/** Decides if the stopping rule stops a run or continues it as a control; undefined if the rule is not triggered. */
export function decideStopping(rule: Stopping, run: StoppingRun): StoppingDecision | undefined {
  const found = findReason(rule, run);
  if (found === undefined) return undefined;
  const stop = !isLetGoOn(rule, run);
  const what = found.status === "collapsed" ? "collapsed" : `unstable for ${formatCount(rule.iterations, "iteration")}`;
  const then = stop ? "stopped by the sweep's rule" : "continued as a control, to measure false stops";
  return { stop, iteration: found.iteration, text: `${what} at iteration ${found.iteration}: ${then}` };
}

/** Samples controls by the rule's seed and the run's identity, before any result is known. */
export function isLetGoOn({ letGoOnShare, seed }: Stopping, run: Pick<StoppingRun, "specHash" | "seed">): boolean {
  return split(seed, "letGoOn", run.specHash, run.seed).next() < letGoOnShare;
}

function findReason({ at, iterations }: Stopping, { changes, iteration }: StoppingRun) {
  const collapse = changes.find(({ status }) => status === "collapsed");
  const isBad = (status: StatusChange["status"]) => status === "unstable" || status === "collapsed";
  if (at === "unstable") {
    for (const [i, change] of changes.entries()) {
      if (!isBad(change.status)) continue;
      // An unstable phase that turns into a collapse counts as a single phase.
      const end = changes.slice(i).find(({ status }) => !isBad(status))?.iteration ?? iteration + 1;
      const due = change.iteration + iterations - 1;
      if (due < end && (collapse === undefined || due < collapse.iteration)) {
        return { status: "unstable" as const, iteration: due };
      }
    }
  }
  return collapse && { status: "collapsed" as const, iteration: collapse.iteration };
}

/** A run in which the sweep's stopping rule triggered; `stopped` is false if the run was kept as a control. */
export type StoppedRun = {
  stopped: boolean;
  /**
   * Iteration at which the stopping rule triggered, latest iteration of the run, and the run's budget in iterations.
   */
  iteration: number;
  latestIteration: number;
  budget: number;
  /** Slot time that the run's attempts have used so far, in ms. */
  slotMs: number;
  /** Hindsight label of a finished control: true if the control collapsed. */
  collapsed: boolean | null;
};

export type StoppingAccount = {
  numStopped: number;
  numControls: number;
  /** Number of finished controls that did not collapse: each shows that a stop would have been false. */
  numFalse: number;
  numJudged: number;
  /** Slot time in ms that stopped runs did not use, estimated from each run's own speed. */
  savedMs: number;
  /**
   * Slot time in ms used after the stopping rule triggered, by stopped runs until their end and by controls. Controls
   * that finished without a collapse are not counted.
   */
  wastedMs: number;
};

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
    numControls: letGoOn.length,
    numFalse: judged.filter(({ collapsed }) => collapsed === false).length,
    numJudged: judged.length,
    savedMs: sum(stopped, (run) => (run.budget - run.latestIteration) * paceOf(run)),
    wastedMs: sum(fallen, (run) => (run.latestIteration - run.iteration) * paceOf(run)),
  };
}
