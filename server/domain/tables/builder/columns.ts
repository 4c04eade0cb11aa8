import { describeMetric, type Metric } from "#trainer/spec/metric.ts";
import { noReading } from "../reading.ts";
import { byType, headerOfTask, inTaskOrder } from "../tasks.ts";
import type { BuilderRun } from "./input.ts";
import type { FullOptions } from "./options.ts";
import type { LaidRow } from "./rows.ts";

/** A metric in an environment: a column of estimates, and the panel within which rows compete. */
export type Panel = {
  key: string;
  environment: string;
  metricKey: string;
  metric: Metric;
  header: string;
  /** Name of the group it stands in; absent where its header says all. */
  group?: string;
  /** The first of its environment: footnotes on runs stand here. */
  isMain: boolean;
};

/** Columns by environment; within one the metrics asked for, then types of tasks in the order of their names. */
export function listPanels(rows: readonly LaidRow[], environments: readonly string[], options: FullOptions): Panel[] {
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
        header: keys.length === 1 ? environment : title,
        ...(keys.length > 1 && { group: environment }),
        isMain: i === 0,
      };
    });
  });
}

/** The number that a run has in a panel; NaN where it has none. */
export function valueOf(run: BuilderRun, { metricKey }: Panel, rule: FullOptions["rule"]): number {
  const reading = run.readings.get(metricKey) ?? noReading;
  return rule === "final" ? reading.final.value : reading[rule];
}
