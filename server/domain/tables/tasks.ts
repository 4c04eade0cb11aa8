import { describeMetric } from "#trainer/spec/metric.ts";
import type { Curve } from "#server/domain/series/series.ts";
import { beforeTraining, finalWindow } from "#server/domain/statistics/curve.ts";
import {
  describeMissing,
  finalWindowSentence,
  formatFor,
  methodCell,
  methodColumn,
  metricColumn,
  provenanceOf,
  saySpread,
  summarize,
  textColumn,
} from "./columns.ts";
import { placeCells, type RunCurve, type TableInput } from "./input.ts";
import type { Column, Table } from "./table.ts";

const single = ["evaluation/score", "evaluation/unseenSuccessRate", "evaluation/unseenScore"];
/** Keys of success by type of task, on kinds that training shows and on others. */
export const byType = /^(?:taskSuccess|unseenTaskSuccess)\//;

/** Whether the table of tasks has a column for a metric beside its first. */
export function isTaskMetric(key: string): boolean {
  return single.includes(key) || byType.test(key);
}

/** A run with its own curve in the first columns, and those of task types and scores by metric key. */
export type TaskRun = RunCurve & { others: ReadonlyMap<string, Curve> };

/**
 * The papers' sub-task columns, a row per cell: success before and after reinforcement learning, native score, success
 * by type of task, and on kinds of tasks held out. Columns that no run logged are left out.
 */
export function tasksTable({ curves, ...input }: Omit<TableInput, "curves"> & { curves: readonly TaskRun[] }): Table {
  const metric = describeMetric(input.metric);
  const placed = placeCells({ cells: input.cells, curves });
  const hasEnvironments = new Set(placed.map(({ environment }) => environment)).size > 1;
  const hasAxes = placed.some(({ axes }) => axes !== "");
  const keys = [...new Set(curves.flatMap(({ others }) => [...others.keys()]))].filter(isTaskMetric).sort(inTaskOrder);
  const format = formatFor(
    metric,
    curves.map((curve) => finalWindow(curve).value),
  );
  const text = (value: string) => ({ kind: "text" as const, text: value });
  return {
    caption:
      `${input.sweepName}: ${metric.title} before and after reinforcement learning and by type of task, ` +
      `${saySpread(placed)} (${finalWindowSentence}).`,
    label: `${input.sweepName}-tasks`,
    columns: [
      methodColumn,
      ...(hasEnvironments ? [textColumn("environment", "Environment")] : []),
      ...(hasAxes ? [textColumn("setting", "Setting")] : []),
      textColumn("n", "n"),
      { ...metricColumn({ key: "before", header: "Before RL", metric, format }), better: "none" },
      metricColumn({ key: "final", header: metric.title, metric, format }),
      ...keys.map((key): Column => {
        const own = describeMetric(key);
        return metricColumn({ key, header: headerOfTask(key), metric: own, format: formatFor(own, []) });
      }),
    ],
    rows: placed.map(({ method, environment, axes, curves: own }) => ({
      cells: [
        methodCell(method),
        ...(hasEnvironments ? [text(environment)] : []),
        ...(hasAxes ? [text(axes)] : []),
        text(String(own.filter((curve) => Number.isFinite(finalWindow(curve).value)).length)),
        summarize(own, beforeTraining),
        summarize(own, (curve) => finalWindow(curve).value),
        ...keys.map((key) => summarize(own, ({ others }) => finalWindow(others.get(key) ?? noCurve).value)),
      ],
      runIds: own.map(({ runId }) => runId),
      block: environment,
    })),
    notes: describeMissing(curves),
    provenance: provenanceOf(input),
  };
}

const noCurve: Curve = { iterations: new Int32Array(), values: new Float64Array() };

/** Score, types of task, then what is of unseen kinds; by name within each. */
export function inTaskOrder(a: string, b: string): number {
  const place = (key: string): number => (/unseen/i.test(key) ? 2 : 0) + (byType.test(key) ? 1 : 0);
  return place(a) - place(b) || (a < b ? -1 : 1);
}

/** The name of a type alone, as the papers head their columns. */
export function headerOfTask(key: string): string {
  const [group = "", type = ""] = key.split("/");
  if (!byType.test(key)) return describeMetric(key).title;
  return group === "taskSuccess" ? type : `${type} (unseen)`;
}
