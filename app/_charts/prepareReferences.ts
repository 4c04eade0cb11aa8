import { formatCount, formatValue } from "./format.ts";
import type { LegendEntry } from "./names.ts";

/** Final value of a pinned baseline in one metric. */
export type ChartReference = {
  cellId: number;
  method: string;
  label: string;
  environment: string;
  sweepName: string;
  key: string;
  /** Mean over its runs' final values. */
  value: number;
  numRuns: number;
};

/** A reference level across the whole plot. */
export type DrawnReference = {
  id: string;
  color: string;
  label: string;
  /** Label without the name, which is at the line's end. */
  short: string;
  y: number;
};

type Wanted = {
  key: string;
  legend: readonly LegendEntry[];
  /** Lines of the other charts of the metric; their baselines are drawn there. */
  others: ReadonlySet<string>;
  /** Environment of the chart, if each environment has its own. */
  environment?: string | undefined;
};

/** Baselines as levels of one chart, with the colour and name of their line if the page has one. */
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
      {
        drawn,
        note: `dashed line: ${name}, final value, mean of ${formatCount(numRuns, "run")}: ${formatValue(value)}`,
      },
    ];
  });
  return { drawn: shown.map(({ drawn }) => drawn), notes: shown.map(({ note }) => note) };
}
