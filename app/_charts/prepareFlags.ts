import type { Severity } from "#server/domain/stability/event.ts";
import { formatCount } from "./format.ts";
import type { LegendEntry, RunName } from "./names.ts";

/** A collapse event as charts know it. */
export type ChartEvent = { runId: string; iteration: number; severity: Severity; message: string };

/** A line across the plot at an alarm. */
export type Flag = { x: number; color: string; label: string };

/** Charts of many runs would drown in warnings: from here on only what is unstable or worse is drawn. */
const mostRunsWithWarnings = 1;
const colors: Record<Severity, string> = {
  info: "var(--muted)",
  warning: "var(--warn)",
  unstable: "var(--series-2)",
  collapsed: "var(--bad)",
  recovered: "var(--accent)",
};

export function prepareFlags(
  events: readonly ChartEvent[],
  runs: ReadonlyMap<string, RunName>,
  entryOf: ReadonlyMap<number, LegendEntry>,
): Flag[] {
  const isOne = runs.size <= mostRunsWithWarnings;
  return events.flatMap(({ runId, iteration, severity, message }) => {
    const run = runs.get(runId);
    const entry = run && entryOf.get(run.cellId);
    if (!entry || severity === "info") return [];
    if (!isOne && severity !== "collapsed") return [];
    const who = isOne ? "" : `${entry.label}, seed ${run.seed}: `;
    return [{ x: iteration, color: isOne ? colors[severity] : entry.color, label: `${who}${message} (${iteration})` }];
  });
}

/** "3 collapses found by the detector: dashed lines in the run's colour". */
export function formatFlags(flags: readonly Flag[], isOne: boolean): string[] {
  if (flags.length === 0) return [];
  return isOne
    ? [`${formatCount(flags.length, "alarm")} of the detector: dashed lines`]
    : [`${formatCount(flags.length, "collapse")} found by the detector: dashed lines in the run's colour`];
}
