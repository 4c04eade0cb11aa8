import { factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import { pointOf, type StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { type CsvValue, toCsvText } from "#packages/tables";
import { noReading, type Reading } from "#server/domain/runs/table/reading.ts";
import type { BuilderInput, BuilderRun } from "./input.ts";
import { freeForm, layTable, type Layout } from "./layout.ts";
import { byType, headerOfTask, listPanels } from "./panels.ts";
import { presetOptions } from "./presets.ts";

const header = "env,subtask,method,agg,clip,adv,filter,setting,seed,n_eval,checkpoint_rule,metric,value".split(",");

/** Formats the preset tables' numbers in long form: one line per run, metric and checkpoint rule. */
export function toPresetLongCsv(input: BuilderInput, metric: string): string {
  const plans = [...new Set(input.sweeps.map(({ planHash }) => planHash))].join(" ");
  const layout = layTable(input, presetOptions(metric), { ...freeForm, rows: "down" });
  return toLongCsv(layout, { run: ({ runId }) => runId, plan: () => plans });
}

/** Formats a built table's numbers as `npx arlarena stats` does: one line per run, column and rule. */
export function toBuiltLongCsv(layout: Layout): string {
  return toLongCsv(layout, {
    collapsed: ({ collapse }) => (collapse === undefined ? null : String(collapse.hasCollapsed)),
    run: ({ runId }) => runId,
  });
}

/**
 * @param last further CSV columns by name, after all others
 */
function toLongCsv(
  { all, environments, options }: Layout,
  last: Readonly<Record<string, (run: BuilderRun) => CsvValue>>,
): string {
  const kept = all.rows.filter(({ key }) => !options.without.includes(key));
  const lines = kept.flatMap((row) => {
    const dimensionsOf = new Map(row.cells.map(({ index, spec }) => [index, describeDimensions(spec)]));
    return listPanels([row], environments, options).flatMap(({ environment = "", metricKey }) => {
      // Success by type of task appears as the success rate on a subset of tasks.
      const isTask = byType.test(metricKey);
      return (row.runs.get(environment) ?? []).flatMap((run) =>
        listByRule(run.readings.get(metricKey) ?? noReading).map(([rule, count, value]): CsvValue[] => [
          environment,
          isTask ? headerOfTask(metricKey) : "all",
          row.method,
          ...(dimensionsOf.get(run.cellIndex) ?? []),
          row.setting,
          run.seed,
          Number.isNaN(value) ? 0 : count,
          rule,
          isTask ? "evaluation/successRate" : metricKey,
          value,
          ...Object.values(last).map((say) => say(run)),
        ]),
      );
    });
  });
  return toCsvText([[...header, ...Object.keys(last)], ...lines]);
}

/** Lists values by checkpoint rule; NaN if missing. */
function listByRule({ before, final, best, last }: Reading): [rule: string, n: number, value: number][] {
  return [
    ["before", 1, before],
    ["final-window", final.numEvaluations, final.value],
    ["best", 1, best],
    ["last", 1, last],
  ];
}

function describeDimensions(spec: StoredSpec): CsvValue[] {
  const point = pointOf(spec);
  if (!point) return [null, null, null, null];
  const { clipping, advantage, sampling } = factorLevels(point);
  return [point.aggregation, clipping, advantage, sampling];
}
