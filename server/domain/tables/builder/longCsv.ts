import { toCsvText, type CsvValue } from "../csv.ts";
import { describeDimensions, readByRules } from "../longCsv.ts";
import { byType, headerOfTask } from "../tasks.ts";
import { listPanels, noCurve } from "./columns.ts";
import type { BuilderInput } from "./input.ts";
import { fillOptions, type TableOptions } from "./options.ts";
import { layRows } from "./rows.ts";

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
export function toBuiltLongCsv(input: BuilderInput, given: TableOptions): string {
  const options = fillOptions(given);
  const { rows, environments } = layRows(input);
  const kept = rows.filter(({ key }) => !options.without.includes(key));
  const shown = environments.filter((name) => !options.withoutEnvironments.includes(name));
  const lines = kept.flatMap((row) =>
    listPanels([row], shown, options).flatMap(({ environment, metricKey, metric }) => {
      // Success by type of task is the success rate of a part of the tasks.
      const isTask = byType.test(metricKey);
      const subtask = isTask ? headerOfTask(metricKey) : "all";
      const name = isTask ? "evaluation/successRate" : metricKey;
      const direction = metric.better === "down" ? "down" : "up";
      return (row.runs.get(environment) ?? []).flatMap((run) => {
        const dimensions = describeDimensions(row.cells.find((cell) => cell.index === run.cellIndex)?.spec);
        return readByRules(run.curves.get(metricKey) ?? noCurve, direction).map(([rule, count, value]): CsvValue[] => [
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
    }),
  );
  return toCsvText([header, ...lines]);
}
