import { isMetricKey } from "#trainer/spec/metric.ts";
import type { ForeignRun } from "./foreignRun.ts";

/** One name of the files: what it becomes, null where it is none of the catalogue's, and in how many points it is. */
export type Column = { name: string; metric: string | null; numPoints: number };

/** The names of all runs, unknown ones first, each with the metric that it becomes. */
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
