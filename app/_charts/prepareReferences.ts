import { formatCount, formatValue } from "./format.ts";
import type { LegendEntry } from "./names.ts";

/** What a pinned baseline came to in one metric. */
export type ChartReference = {
  cellId: number;
  method: string;
  label: string;
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

/**
 * Baselines as levels of one chart, in the colour and by the name of their line where the page has one.
 * @param hidden lines that another chart of the same metric shows: their baselines stand there
 */
export function prepareReferences(
  references: readonly ChartReference[],
  { key, legend, others }: { key: string; legend: readonly LegendEntry[]; others: ReadonlySet<string> },
): { drawn: DrawnReference[]; notes: string[] } {
  const shown = references.flatMap((reference) => {
    const { cellId, method, label, sweepName, value, numRuns } = reference;
    const entry = legend.find((one) => one.cellId === cellId);
    if (reference.key !== key || others.has(entry?.id ?? "")) return [];
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
