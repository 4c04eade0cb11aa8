import { isImported, type StoredSpec } from "../../import/storedSpec.ts";
import { beforeTraining, best, finalWindow, last } from "../../statistics/curve.ts";
import { toCsvText, type CsvValue } from "../csv.ts";
import { byType, headerOfTask } from "../tasks.ts";
import { listPanels, noCurve } from "./columns.ts";
import type { BuilderInput, BuilderRun } from "./input.ts";
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
        const dimensions = describe(row.cells.find((cell) => cell.index === run.cellIndex)?.spec);
        return rulesOf(run, metricKey, direction).map(([rule, count, value]): CsvValue[] => [
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

function rulesOf(run: BuilderRun, key: string, direction: "up" | "down"): [rule: string, n: number, value: number][] {
  const curve = run.curves.get(key) ?? noCurve;
  const window = finalWindow(curve);
  const final = last(curve);
  return [
    ["before", 1, beforeTraining(curve)],
    ["final-window", window.numEvaluations, window.value],
    ["best", 1, best(curve, direction).value],
    ["last", 1, final.iteration > 0 ? final.value : NaN],
  ];
}

function describe(spec: StoredSpec | undefined): CsvValue[] {
  if (!spec || isImported(spec)) return [null, null, null, null];
  const { aggregation, clipping, advantage, sampling } = spec.method;
  const masked = "sequenceMask" in clipping && clipping.sequenceMask !== null;
  return [aggregation, masked ? `${clipping.kind}+mask` : clipping.kind, advantage.kind, sampling.kind];
}
