import { describeMetric } from "#trainer/spec/metric.ts";
import { beforeTraining, best, finalWindow } from "#server/domain/statistics/curve.ts";
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
import { placeCells, type TableInput } from "./input.ts";
import type { Table } from "./table.ts";

/**
 * What reinforcement learning changed, a row per cell: before it (iteration 0), in the final window, and at each
 * run's best evaluation, which is selected on the data it is reported on and said to be.
 */
export function successTable(input: TableInput): Table {
  const metric = describeMetric(input.metric);
  const direction = metric.better === "down" ? "down" : "up";
  const placed = placeCells(input);
  const hasEnvironments = new Set(placed.map(({ environment }) => environment)).size > 1;
  const hasAxes = placed.some(({ axes }) => axes !== "");
  const format = formatFor(
    metric,
    input.curves.map((curve) => finalWindow(curve).value),
  );
  const text = (value: string) => ({ kind: "text" as const, text: value });
  return {
    caption:
      `${input.sweepName}: ${metric.title} before and after reinforcement learning, ${saySpread(placed)} ` +
      `(${finalWindowSentence}). The best evaluation of a run is selected on the same data and therefore biased ` +
      "in its favour.",
    label: `${input.sweepName}-${input.metric}-before-after`,
    columns: [
      methodColumn,
      ...(hasEnvironments ? [textColumn("environment", "Environment")] : []),
      ...(hasAxes ? [textColumn("setting", "Setting")] : []),
      textColumn("n", "n"),
      { ...metricColumn({ key: "before", header: "Before RL", metric, format }), better: "none" },
      metricColumn({ key: "final", header: "Final window", metric, format }),
      { ...metricColumn({ key: "best", header: "Best, selected on the same data", metric, format }), better: "none" },
    ],
    rows: placed.map(({ method, environment, axes, curves }) => ({
      cells: [
        methodCell(method),
        ...(hasEnvironments ? [text(environment)] : []),
        ...(hasAxes ? [text(axes)] : []),
        text(String(curves.filter((curve) => Number.isFinite(finalWindow(curve).value)).length)),
        summarize(curves, beforeTraining),
        summarize(curves, (curve) => finalWindow(curve).value),
        summarize(curves, (curve) => best(curve, direction).value),
      ],
      runIds: curves.map(({ runId }) => runId),
      block: environment,
    })),
    notes: describeMissing(input.curves),
    provenance: provenanceOf(input),
  };
}
