import { describeMetric } from "#trainer/spec/metric.ts";
import { unnamedEnvironment } from "#server/domain/trainers/import/guessIdentity.ts";
import { noReading, type Reading } from "#server/domain/runs/table/reading.ts";
import type { NumberFormat } from "#packages/base";
import type { TableCell } from "#packages/tables";
import type { Measure } from "./columnParts.ts";
import type { BuilderRun } from "./input.ts";
import type { FullOptions, TableColumn } from "./options.ts";
import type { LaidRow } from "./rows.ts";

/** A column of numbers: one metric, in one environment or in each row's own. */
export type Panel = {
  key: string;
  /** Undefined if each row has an environment of its own. */
  environment: string | undefined;
  metricKey: string;
  metric: Measure;
  header: string;
  /** Absent if the column's own header suffices. */
  group?: string;
  /** First column of its environment: counts seeds and has the footnotes about runs. */
  isMain: boolean;
  /** Returns NaN if missing. */
  value: (run: BuilderRun) => number;
  /** If absent, the cell is an estimate over seeds, compared with the baseline's. */
  cell?: (runs: readonly BuilderRun[]) => TableCell;
  /** If absent, the format follows from the largest cell. */
  format?: (seen: Seen) => NumberFormat;
};

/** Numbers of cells and runs, and of all runs in the main column. */
export type Seen = { cells: readonly number[]; runs: readonly number[]; main: readonly number[] };

/** Matches success by type of task, for types in the training tasks and unseen types. */
export const byType = /^(?:taskSuccess|unseenTaskSuccess)\//;

/** Lists chosen columns, else each environment's metrics followed by its types of tasks. */
export function listPanels(rows: readonly LaidRow[], environments: readonly string[], options: FullOptions): Panel[] {
  if (options.columns.length > 0) return options.columns.map((column, i) => toPanel(column, i, options));
  const tasksOf = (environment: string) => {
    const runs = rows.flatMap((row) => row.runs.get(environment) ?? []);
    return [...new Set(runs.flatMap(({ readings }) => [...readings.keys()]))].filter((key) => byType.test(key));
  };
  return environments.flatMap((environment) => {
    const tasks = options.tasks ? tasksOf(environment).sort(inTaskOrder) : [];
    const keys = [...new Set([...options.metrics, ...tasks])];
    return keys.map((metricKey, i): Panel => {
      const metric = describeMetric(metricKey);
      const title = byType.test(metricKey) ? headerOfTask(metricKey) : metric.title;
      return {
        key: `${environment}: ${metricKey}`,
        environment,
        metricKey,
        metric,
        header: keys.length === 1 ? headerOf(environment, title) : title,
        ...(keys.length > 1 && environment !== unnamedEnvironment && { group: environment }),
        isMain: i === 0,
        value: readBy(metricKey, options.rule),
      };
    });
  });
}

function toPanel(
  { environment, metric: metricKey, ...words }: TableColumn,
  index: number,
  options: FullOptions,
): Panel {
  const metric = describeMetric(metricKey);
  const title = byType.test(metricKey) ? headerOfTask(metricKey) : metric.title;
  const { header = title, group = environment } = words;
  const isMain = options.columns.findIndex((column) => column.environment === environment) === index;
  const value = readBy(metricKey, options.rule);
  return { key: `${environment}: ${metricKey}`, environment, metricKey, metric, header, group, isMain, value };
}

/** Returns the header of a column: the environment, or the metric if the environment has no name. */
export function headerOf(environment: string, title: string): string {
  return environment === unnamedEnvironment ? title : environment;
}

export function readBy(metricKey: string, rule: Exclude<keyof Reading, "numEvaluations">) {
  return ({ readings }: BuilderRun): number => {
    const reading = readings.get(metricKey) ?? noReading;
    return rule === "final" ? reading.final.value : reading[rule];
  };
}

export function runsIn(row: LaidRow, { environment }: Pick<Panel, "environment">): readonly BuilderRun[] {
  return environment === undefined ? [...row.runs.values()].flat() : (row.runs.get(environment) ?? []);
}

/** Orders score, types of task, unseen types; then by name. */
export function inTaskOrder(a: string, b: string): number {
  const rank = (key: string): number => (/unseen/i.test(key) ? 2 : 0) + (byType.test(key) ? 1 : 0);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

/** Returns the type of task, or the metric's title for other metrics. */
export function headerOfTask(key: string): string {
  const [group = "", type = ""] = key.split("/");
  if (!byType.test(key)) return describeMetric(key).title;
  return group === "taskSuccess" ? type : `${type} (unseen)`;
}
