import { z } from "zod";
import { metricKeys, type MetricKey } from "#trainer/spec/metric.ts";

/** One metric of one run, iterations ascending. */
export type MetricCurve = readonly { iteration: number; value: number }[];

/** What a trial is judged by. */
export const Objective = z.strictObject({
  metric: z
    .enum([...metricKeys, "collapsed"])
    .describe(
      "A logged metric, of which a run counts with its mean over the last fifth; or `collapsed`, the share of a trial's runs that collapsed.",
    ),
  goal: z.enum(["maximize", "minimize"]),
});
export type Objective = z.infer<typeof Objective>;

/** A bound that a trial has to keep, to be better than all that do not. */
export const Constraint = z
  .strictObject({
    metric: z.enum(metricKeys).describe("A logged metric; a run counts with its mean over the last fifth."),
    atLeast: z.number().optional(),
    atMost: z.number().optional(),
  })
  .refine(({ atLeast, atMost }) => atLeast !== undefined || atMost !== undefined, {
    error: "needs atLeast or atMost",
  });
export type Constraint = z.infer<typeof Constraint>;

/** What a search asks of its trials. */
export type Aims = { objectives: readonly Objective[]; constraints: readonly Constraint[] };

/** The metrics that trials are judged by, each once. */
export function metricsOf({ objectives, constraints }: Aims): MetricKey[] {
  const named = [...objectives, ...constraints].map(({ metric }) => metric);
  return [...new Set(named)].filter((metric) => metric !== "collapsed");
}

/** A value as the search minimises it. */
export function toLoss({ goal }: Pick<Objective, "goal">, value: number): number {
  return goal === "maximize" ? -value : value;
}

/** The value that a loss stands for; 0 for -0. */
export function fromLoss(objective: Pick<Objective, "goal">, loss: number): number {
  return toLoss(objective, loss) + 0;
}

/**
 * The mean of a metric over the last fifth up to an iteration: what a run comes to there. Where no point lies within
 * that fifth it is the last point before; NaN where there is none, and where a point in it is NaN.
 */
export function finalMean(curve: MetricCurve, iteration: number): number {
  return meanOf(lastFifth(curve, iteration));
}

/** The standard deviation (n − 1) over that fifth; NaN where fewer than two points lie there. */
export function finalSpread(curve: MetricCurve, iteration: number): number {
  const values = lastFifth(curve, iteration);
  const centre = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

function lastFifth(curve: MetricCurve, iteration: number): number[] {
  const before = curve.filter((point) => point.iteration <= iteration);
  const inside = before.filter((point) => point.iteration > 0.8 * iteration);
  return (inside.length > 0 ? inside : before.slice(-1)).map(({ value }) => value);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
