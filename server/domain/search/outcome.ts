import type { MetricKey } from "#trainer/spec/metric.ts";
import { type Aims, type Constraint, finalMean, finalSpread, type MetricCurve, toLoss } from "./objective.ts";
import type { Outcome } from "./trial.ts";

/** One run of a trial that is over: how it ended, where, and what it logged of the metrics that count. */
export type TrialRun = {
  /** `collapsed`: ended before its budget by the sweep's rule or by numbers that are not finite. */
  end: "completed" | "collapsed" | "lost";
  /** Where it collapsed; its budget otherwise. */
  iteration: number;
  curves: Curves;
};

/** By metric; one that was never logged is absent. */
export type Curves = Readonly<Partial<Record<MetricKey, MetricCurve>>>;

/**
 * The outcome of a trial from its runs, one a seed; lost runs are left out. Where a run collapsed, the trial counts as
 * censored at the mean iteration that its runs reached, unless their share is an objective itself: then those count with
 * what they came to. Otherwise its losses are means over runs.
 */
export function judgeTrial(runs: readonly TrialRun[], aims: Aims): Outcome {
  const counted = runs.filter(({ end }) => end !== "lost");
  const metrics = aims.objectives.flatMap(({ metric }) => (metric === "collapsed" ? [] : [metric]));
  const countsCollapses = metrics.length < aims.objectives.length;
  const hasCollapsed = ({ end, ...run }: TrialRun) =>
    end === "collapsed" || metrics.some((metric) => isLogged(run, metric) && !Number.isFinite(finalOf(run, metric)));
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

function isLogged({ curves }: Pick<TrialRun, "curves">, metric: MetricKey): boolean {
  return (curves[metric]?.length ?? 0) > 0;
}

function finalOf({ curves, iteration }: Pick<TrialRun, "curves" | "iteration">, metric: MetricKey): number {
  return finalMean(curves[metric] ?? [], iteration);
}

function spreadOf(runs: readonly TrialRun[], metric: MetricKey | undefined): number {
  if (metric === undefined) return NaN;
  return mean(runs.map(({ curves, iteration }) => finalSpread(curves[metric] ?? [], iteration)));
}

/** How far a value misses a constraint; what was never measured misses it by more than any number. */
function missedBy({ atLeast = -Infinity, atMost = Infinity }: Constraint, value: number): number {
  if (Number.isNaN(value)) return Number.MAX_VALUE;
  return Math.max(0, atLeast - value, value - atMost);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
