import { describeMetric } from "#trainer/spec/metric.ts";
import { unnamedEnvironment } from "#server/domain/import/guessIdentity.ts";
import { noReading, type Reading } from "../reading.ts";
import type { NumberFormat, TableCell } from "../table.ts";
import type { Measure } from "./columnParts.ts";
import type { BuilderRun } from "./input.ts";
import type { FullOptions, TableColumn } from "./options.ts";
import type { LaidRow } from "./rows.ts";

/** A metric in an environment: a column of numbers, and the panel within which rows compete. */
export type Panel = {
  key: string;
  /** Undefined where each row has an environment of its own. */
  environment: string | undefined;
  metricKey: string;
  metric: Measure;
  header: string;
  /** Name of the group it stands in; absent where its header says all. */
  group?: string;
  /** The first of its environment: seeds are counted and footnotes on runs stand here. */
  isMain: boolean;
  /** The number that a run has in it; NaN where it has none. */
  value: (run: BuilderRun) => number;
  /** What its cells show of their runs. Without it they are estimates, compared with the baseline's. */
  cell?: (runs: readonly BuilderRun[]) => TableCell;
  /** Its digits; those of the largest of its cells where it does not say. */
  format?: (seen: Seen) => NumberFormat;
};

/** Numbers by which digits are chosen: of the panel's cells, and of all runs in it and in the main panel. */
export type Seen = { cells: readonly number[]; runs: readonly number[]; main: readonly number[] };

/** Keys of success by type of task, on kinds that training shows and on others. */
export const byType = /^(?:taskSuccess|unseenTaskSuccess)\//;

/**
 * The columns chosen by hand; without them columns by environment, within one the metrics asked for, then types of tasks
 * in the order of their names.
 */
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

/** An environment that nobody named heads no column: its metric does. */
export function headerOf(environment: string, title: string): string {
  return environment === unnamedEnvironment ? title : environment;
}

/** Reads one number of one metric. */
export function readBy(metricKey: string, rule: Exclude<keyof Reading, "numEvaluations">) {
  return ({ readings }: BuilderRun): number => {
    const reading = readings.get(metricKey) ?? noReading;
    return rule === "final" ? reading.final.value : reading[rule];
  };
}

/** The runs behind a cell. */
export function runsIn(row: LaidRow, { environment }: Pick<Panel, "environment">): readonly BuilderRun[] {
  return environment === undefined ? [...row.runs.values()].flat() : (row.runs.get(environment) ?? []);
}

/** Score, types of task, then what is of unseen kinds; by name within each. */
export function inTaskOrder(a: string, b: string): number {
  const rank = (key: string): number => (/unseen/i.test(key) ? 2 : 0) + (byType.test(key) ? 1 : 0);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

/** The name of a type alone, as the papers head their columns. */
export function headerOfTask(key: string): string {
  const [group = "", type = ""] = key.split("/");
  if (!byType.test(key)) return describeMetric(key).title;
  return group === "taskSuccess" ? type : `${type} (unseen)`;
}
