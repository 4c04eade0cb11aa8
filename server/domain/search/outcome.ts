import { finalMean, type MetricCurve } from "./objective.ts";
import type { Outcome } from "./trial.ts";

/** One run of a trial that is over: how it ended, where, and what it logged of the objective. */
export type TrialRun = {
  /** `collapsed`: ended before its budget by the sweep's rule or by numbers that are not finite. */
  end: "completed" | "collapsed" | "lost";
  /** Where it collapsed; its budget otherwise. */
  iteration: number;
  curve: MetricCurve;
};

/**
 * The outcome of a trial from its runs, one a seed. Where a run collapsed, the trial counts as censored at the mean
 * iteration that its runs reached; otherwise its loss is the mean over runs. Lost runs are left out.
 */
export function judgeTrial(runs: readonly TrialRun[], goal: "maximize" | "minimize"): Outcome {
  const counted = runs.filter(({ end }) => end !== "lost");
  const finals = counted.flatMap(({ end, curve, iteration }) => {
    const value = finalMean(curve, iteration);
    return end === "completed" && curve.length > 0 ? [value] : [];
  });
  const hasCollapsed =
    counted.some(({ end }) => end === "collapsed") || finals.some((value) => !Number.isFinite(value));
  if (hasCollapsed) return { kind: "collapsed", iteration: mean(counted.map(({ iteration }) => iteration)) };
  if (finals.length === 0) return { kind: "lost" };
  return { kind: "measured", losses: [goal === "maximize" ? -mean(finals) : mean(finals)] };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
