import { writeFigure } from "#packages/statistics";
import { describeMetric } from "#trainer/spec/metric.ts";
import { formatCount } from "./format.ts";
import type { LegendEntry } from "./names.ts";

/** Final value of a pinned baseline in the metric `key`, with the baseline's configuration. */
export type ChartReference = {
  cellId: number;
  method: string;
  label: string;
  environment: string;
  sweepName: string;
  key: string;
  /** Mean of the final values of the baseline's runs. */
  value: number;
  numRuns: number;
};

export type DrawnReference = {
  id: string;
  color: string;
  label: string;
  /** Short label at the line's end, without the configuration's name: "Baseline 0.62". */
  short: string;
  y: number;
};

type Wanted = {
  key: string;
  legend: readonly LegendEntry[];
  /** Ids of the lines in the metric's other small multiples, which also draw the baselines of these lines. */
  others: ReadonlySet<string>;
  /** Environment that this chart shows, if each environment has its own chart. */
  environment?: string | undefined;
};

/** Returns baselines as horizontal lines. A baseline that is also a line of the page has its colour and name. */
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
    const figure = writeFigure(value, describeMetric(key));
    const drawn = {
      id: String(cellId),
      color: entry?.color ?? "var(--muted)",
      label: `Baseline ${name} ${figure}`,
      short: `Baseline ${figure}`,
      y: value,
    };
    return [
      {
        drawn,
        note: `dashed line: ${name}, final value, mean of ${formatCount(numRuns, "run")}: ${figure}`,
      },
    ];
  });
  return { drawn: shown.map(({ drawn }) => drawn), notes: shown.map(({ note }) => note) };
}
