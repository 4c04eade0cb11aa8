import { describeMetric } from "#trainer/spec/metric.ts";
import { finalWindow } from "#server/domain/statistics/curve.ts";
import { placeCells, type PlacedCell, type TableInput } from "./input.ts";
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
  unitOf,
} from "./columns.ts";
import type { Table, TableCell } from "./table.ts";
import { groupBy } from "#server/domain/groupBy.ts";

/**
 * Methods (and axis values) down, environments across: mean ± std over seeds of each run's final window.
 * Best bold and second underlined per environment, on unrounded means.
 */
export function finalWindowTable(input: TableInput): Table {
  const metric = describeMetric(input.metric);
  const placed = placeCells(input);
  const environments = [...new Set(placed.map(({ environment }) => environment))];
  const rows = groupRows(placed);
  const hasAxes = placed.some(({ axes }) => axes !== "");
  const summaries = placed.map((cell) => summarize(cell.curves, (curve) => finalWindow(curve).value));
  const format = formatFor(
    metric,
    summaries.map((summary) => (summary.kind === "meanStd" ? summary.mean : NaN)),
  );
  const seeds = [...new Set(input.curves.map(({ seed }) => seed))].sort((a, b) => a - b);
  const unit = unitOf(metric);
  return {
    caption:
      `${input.sweepName}: ${metric.title}${unit ? ` (${unit})` : ""}, ${saySpread(placed)}, ` +
      `${finalWindowSentence}. Best bold, second underlined. Seeds ${seeds.join(", ")}.`,
    label: `${input.sweepName}-${input.metric}`,
    columns: [
      methodColumn,
      ...(hasAxes ? [textColumn("setting", "Setting")] : []),
      textColumn("n", "n"),
      ...environments.map((environment) => metricColumn({ key: environment, header: environment, metric, format })),
    ],
    rows: [...rows.values()].map((cells) => ({
      cells: [
        methodCell(cells[0]?.method ?? ""),
        ...(hasAxes ? [{ kind: "text" as const, text: cells[0]?.axes ?? "" }] : []),
        countCell(environments.map((environment) => summaryAt(cells, environment))),
        ...environments.map((environment) => summaryAt(cells, environment)),
      ],
      runIds: cells.flatMap(({ curves }) => curves.map(({ runId }) => runId)),
    })),
    notes: describeMissing(input.curves),
    provenance: provenanceOf(input),
  };
}

function summaryAt(cells: readonly PlacedCell[], environment: string): TableCell {
  const cell = cells.find((candidate) => candidate.environment === environment);
  return cell ? summarize(cell.curves, (curve) => finalWindow(curve).value) : { kind: "missing" };
}

/** "5", or "3–5" where environments differ. */
function countCell(summaries: readonly TableCell[]): TableCell {
  const counts = summaries.map((summary) => (summary.kind === "meanStd" ? summary.n : 0));
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  return { kind: "text", text: low === high ? String(low) : `${low}–${high}` };
}

/** One row per method and axis values. */
function groupRows(placed: readonly PlacedCell[]): Map<string, PlacedCell[]> {
  return groupBy(placed, ({ method, axes }) => JSON.stringify([method, axes]));
}
