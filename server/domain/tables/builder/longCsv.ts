import { toCsvText, type CsvValue } from "../csv.ts";
import { describeDimensions, listByRule } from "../longCsv.ts";
import { noReading } from "../reading.ts";
import { byType, headerOfTask } from "../tasks.ts";
import { listPanels } from "./columns.ts";
import type { Layout } from "./layout.ts";

const header = [
  "env",
  "subtask",
  "method",
  "agg",
  "clip",
  "adv",
  "filter",
  "setting",
  "seed",
  "n_eval",
  "checkpoint_rule",
  "metric",
  "value",
  "collapsed",
  "run",
] as const;

/** Every number behind a built table, a line per run, column and rule: `npx arlarena stats` reads it as it is. */
export function toBuiltLongCsv({ all, environments, options }: Layout): string {
  const kept = all.rows.filter(({ key }) => !options.without.includes(key));
  const lines = kept.flatMap((row) => {
    const dimensionsOf = new Map(row.cells.map(({ index, spec }) => [index, describeDimensions(spec)]));
    return listPanels([row], environments, options).flatMap(({ environment, metricKey }) => {
      // Success by type of task is the success rate of a part of the tasks.
      const isTask = byType.test(metricKey);
      const subtask = isTask ? headerOfTask(metricKey) : "all";
      const name = isTask ? "evaluation/successRate" : metricKey;
      return (row.runs.get(environment) ?? []).flatMap((run) => {
        const dimensions = dimensionsOf.get(run.cellIndex) ?? [];
        return listByRule(run.readings.get(metricKey) ?? noReading).map(([rule, count, value]): CsvValue[] => [
          environment,
          subtask,
          row.method,
          ...dimensions,
          row.setting,
          run.seed,
          Number.isNaN(value) ? 0 : count,
          rule,
          name,
          value,
          run.collapse === undefined ? null : String(run.collapse.hasCollapsed),
          run.runId,
        ]);
      });
    });
  });
  return toCsvText([header, ...lines]);
}
