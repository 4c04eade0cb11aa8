import { z } from "zod";
import { mean, std } from "#packages/statistics";
import { metricKeys, type MetricKey } from "#trainer/spec/metric.ts";

export type MetricCurve = readonly { iteration: number; value: number }[];

export const Objective = z.strictObject({
  metric: z
    .enum([...metricKeys, "collapsed"])
    .describe(
      "A logged metric, averaged over the last fifth of each run; or `collapsed`, the share of a trial's runs that collapsed.",
    ),
  goal: z.enum(["maximize", "minimize"]),
});
export type Objective = z.infer<typeof Objective>;

/** A bound on a metric. Trials that violate it rank below all trials that satisfy it. */
export const Constraint = z
  .strictObject({
    metric: z.enum(metricKeys).describe("A logged metric, averaged over the last fifth of each run."),
    atLeast: z.number().optional(),
    atMost: z.number().optional(),
  })
  .refine(({ atLeast, atMost }) => atLeast !== undefined || atMost !== undefined, {
    error: "needs atLeast, atMost or both",
  });
export type Constraint = z.infer<typeof Constraint>;

export type Aims = { objectives: readonly Objective[]; constraints: readonly Constraint[] };

export function metricsOf({ objectives, constraints }: Aims): MetricKey[] {
  const named = [...objectives, ...constraints].map(({ metric }) => metric);
  return [...new Set(named)].filter((metric) => metric !== "collapsed");
}

/** Converts a metric value to a loss, which is minimised. */
export function toLoss({ goal }: Pick<Objective, "goal">, value: number): number {
  return goal === "maximize" ? -value : value;
}

/** Converts a loss back to the metric's value; −0 becomes 0. */
export function fromLoss(objective: Pick<Objective, "goal">, loss: number): number {
  return toLoss(objective, loss) + 0;
}

/**
 * Mean of a metric over the last fifth of the iterations up to `iteration`. If that fifth has no point, the last
 * earlier value is returned. NaN if there is no point, or if the fifth contains a NaN.
 */
export function finalMean(curve: MetricCurve, iteration: number): number {
  return mean(lastFifth(curve, iteration));
}

/** Standard deviation (n − 1) of a metric over the last fifth of the iterations; NaN with fewer than two points. */
export function finalSpread(curve: MetricCurve, iteration: number): number {
  return std(lastFifth(curve, iteration));
}

function lastFifth(curve: MetricCurve, iteration: number): number[] {
  const before = curve.filter((point) => point.iteration <= iteration);
  const inside = before.filter((point) => point.iteration > 0.8 * iteration);
  return (inside.length > 0 ? inside : before.slice(-1)).map(({ value }) => value);
}
