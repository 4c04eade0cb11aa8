import { formatCount, formatValue } from "./format.ts";
import type { LegendEntry } from "./names.ts";

/** What a pinned baseline came to in one metric. */
export type ChartReference = {
  cellId: number;
  method: string;
  label: string;
  environment: string;
  sweepName: string;
  key: string;
  /** Mean of its runs' final values. */
  value: number;
  numRuns: number;
};

/** A level that lines are compared with, from one side of the plot to the other. */
export type DrawnReference = {
  id: string;
  color: string;
  label: string;
  /** Without the name, which the line beside it has. */
  short: string;
  y: number;
};

type Wanted = {
  key: string;
  legend: readonly LegendEntry[];
  /** Lines that other charts of the metric show: their baselines stand there. */
  others: ReadonlySet<string>;
  /** The one that the chart is of, where each has a chart of its own. */
  environment?: string | undefined;
};

/** Baselines as levels of one chart, in the colour and by the name of their line where the page has one. */
export function prepareReferences(
  references: readonly ChartReference[],
  { key, legend, others, environment }: Wanted,
): { drawn: DrawnReference[]; notes: string[] } {
  const shown = references.flatMap((reference) => {
    const { cellId, method, label, sweepName, value, numRuns } = reference;
    const entry = legend.find((one) => one.cellId === cellId);
    if (reference.key !== key || others.has(entry?.id ?? "")) return [];
    if (environment !== undefined && reference.environment !== environment) return [];
    const name = entry?.label ?? [method, label, `(${sweepName})`].filter((part) => part !== "").join(" ");
    const drawn = {
      id: String(cellId),
      color: entry?.color ?? "var(--muted)",
      label: `Baseline ${name} ${formatValue(value)}`,
      short: `Baseline ${formatValue(value)}`,
      y: value,
    };
    return [
      { drawn, note: `dashed level: ${name}, final, mean of ${formatCount(numRuns, "run")}: ${formatValue(value)}` },
    ];
  });
  return { drawn: shown.map(({ drawn }) => drawn), notes: shown.map(({ note }) => note) };
}
