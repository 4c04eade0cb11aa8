import { mean } from "#packages/statistics";
import type { MetricKey } from "#trainer/spec/metric.ts";
import { type Aims, type Constraint, finalMean, finalSpread, type MetricCurve, toLoss } from "./objective.ts";
import type { Outcome } from "./trial.ts";

/** One finished run of a trial: how and at which iteration it ended, and its logged metrics. */
export type TrialRun = {
  /** End of the run. `collapsed`: ended early by the sweep's stopping rule or by non-finite values; `lost`: failed. */
  end: "completed" | "collapsed" | "lost";
  /** Iteration of the collapse; without a collapse, the last iteration of the budget. */
  iteration: number;
  curves: Curves;
};

export type Curves = Readonly<Partial<Record<MetricKey, MetricCurve>>>;

/**
 * Computes the outcome of a trial from its runs, one per seed; failed runs are ignored. If a run collapsed, the trial
 * is censored at the runs' mean final iteration. If the collapse rate is an objective, collapsed runs count with their
 * measured values instead. Otherwise losses are means over runs.
 */
export function judgeTrial(runs: readonly TrialRun[], aims: Aims): Outcome {
  const counted = runs.filter(({ end }) => end !== "lost");
  const metrics = aims.objectives.flatMap(({ metric }) => (metric === "collapsed" ? [] : [metric]));
  const countsCollapses = metrics.length < aims.objectives.length;
  const isLogged = ({ curves }: TrialRun, metric: MetricKey) => (curves[metric]?.length ?? 0) > 0;
  const hasCollapsed = (run: TrialRun) =>
    run.end === "collapsed" ||
    metrics.some((metric) => isLogged(run, metric) && !Number.isFinite(finalOf(run, metric)));
  const collapsed = counted.filter(hasCollapsed);
  const iteration = mean(counted.map((run) => run.iteration));
  if (collapsed.length > 0 && !countsCollapses) return { kind: "collapsed", iteration };
  const meanOf = (metric: MetricKey) =>
    mean(counted.map((run) => finalOf(run, metric)).filter((value) => Number.isFinite(value)));
  const losses = aims.objectives.map((objective) =>
    toLoss(objective, objective.metric === "collapsed" ? collapsed.length / counted.length : meanOf(objective.metric)),
  );
  if (losses.some(Number.isNaN)) return collapsed.length > 0 ? { kind: "collapsed", iteration } : { kind: "lost" };
  const violation = aims.constraints.reduce((sum, one) => sum + missedBy(one, meanOf(one.metric)), 0);
  const spread = spreadOf(counted, metrics[0]);
  return {
    kind: "measured",
    losses,
    ...(aims.constraints.length > 0 && { violation }),
    ...(Number.isFinite(spread) && { spread }),
  };
}

function finalOf({ curves, iteration }: TrialRun, metric: MetricKey): number {
  return finalMean(curves[metric] ?? [], iteration);
}

function spreadOf(runs: readonly TrialRun[], metric: MetricKey | undefined): number {
  if (metric === undefined) return NaN;
  return mean(runs.map(({ curves, iteration }) => finalSpread(curves[metric] ?? [], iteration)));
}

/** Returns the amount by which a value violates a constraint; the largest finite number if it was never measured. */
function missedBy({ atLeast = -Infinity, atMost = Infinity }: Constraint, value: number): number {
  if (Number.isNaN(value)) return Number.MAX_VALUE;
  return Math.max(0, atLeast - value, value - atMost);
}
