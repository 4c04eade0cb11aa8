import { z } from "zod";
import { isMetricKey } from "#trainer/spec/metric.ts";
import { badInput } from "#packages/base";
import type { ForeignRun } from "./foreignRun.ts";

/** Metric that a user chose for each metric name of an imported file. A name that maps to itself is kept. */
export const ChosenNames = z.record(z.string().min(1).max(500), z.string().min(1).max(500));
export type ChosenNames = z.infer<typeof ChosenNames>;

/** Changes by a user to runs of a preview, by their ids. */
export const RunEdits = z.record(
  z.string().max(5000),
  z
    .strictObject({
      method: z.string().trim().min(1).max(200),
      environment: z.string().trim().min(1).max(100),
      seed: z
        .int()
        .min(0)
        .max(2 ** 31 - 1),
      isLeftOut: z.boolean(),
    })
    .partial(),
);
export type RunEdits = z.infer<typeof RunEdits>;

/** Checks a user's mapping of metric names. Throws `bad_input` for an unknown metric or one with two names. */
export function checkChosen(chosen: ChosenNames): ChosenNames {
  const owners = new Map<string, string>();
  for (const [name, metric] of Object.entries(chosen)) {
    if (metric === name) continue;
    if (!isMetricKey(metric)) {
      const message = `"${metric}" is not a metric of the studio; choose "${name}" to keep the name`;
      throw badInput([{ path: `column ${name}`, message }]);
    }
    const other = owners.get(metric);
    if (other !== undefined) {
      throw badInput([
        { path: `column ${name}`, message: `${metric} is already assigned to ${other}: choose another metric` },
      ]);
    }
    owners.set(metric, name);
  }
  return chosen;
}

/** A metric name in imported files, its catalogue metric (null if none), and its number of points. */
export type Column = {
  name: string;
  metric: string | null;
  numPoints: number;
  /** True if its values were per cent and were divided by 100. */
  isPercent?: true;
};

export function listColumns(runs: readonly { run: ForeignRun }[]): Column[] {
  const columns = new Map<string, Column>();
  for (const { run } of runs) {
    for (const { values } of run.points) {
      for (const key of Object.keys(values)) {
        const name = run.originals[key] ?? key;
        const metric = key !== name || isMetricKey(key) ? key : null;
        const id = `${name}\n${metric}`;
        let column = columns.get(id);
        if (!column) columns.set(id, (column = { name, metric, numPoints: 0 }));
        column.numPoints += 1;
        if (run.percents.includes(name)) column.isPercent = true;
      }
    }
  }
  const isKnown = ({ metric }: Column) => Number(metric !== null);
  return [...columns.values()].toSorted((a, b) => isKnown(a) - isKnown(b) || (a.name < b.name ? -1 : 1));
}
