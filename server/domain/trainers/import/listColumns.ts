import { isMetricKey } from "#trainer/spec/metric.ts";
import type { ForeignRun } from "./foreignRun.ts";

/** One metric name of the files: its catalogue metric (null if none) and its number of points. */
export type Column = { name: string; metric: string | null; numPoints: number };

/** Metric names of all runs with their catalogue metric; unknown ones first. */
export function listColumns(runs: readonly { run: ForeignRun }[]): Column[] {
  const columns = new Map<string, Column>();
  for (const { run } of runs) {
    for (const { values } of run.points) {
      for (const key of Object.keys(values)) {
        const name = run.originals[key] ?? key;
        const metric = key !== name || isMetricKey(key) ? key : null;
        const id = `${name}\n${metric}`;
        const column = columns.get(id) ?? { name, metric, numPoints: 0 };
        columns.set(id, { ...column, numPoints: column.numPoints + 1 });
      }
    }
  }
  const isKnown = ({ metric }: Column) => Number(metric !== null);
  return [...columns.values()].toSorted((a, b) => isKnown(a) - isKnown(b) || (a.name < b.name ? -1 : 1));
}
