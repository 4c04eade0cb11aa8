import type { Severity } from "#server/domain/stability/event.ts";
import { formatCount } from "./format.ts";
import type { LegendEntry, RunName } from "./names.ts";

/** A collapse event as charts know it. */
export type ChartEvent = {
  runId: string;
  iteration: number;
  severity: Severity;
  message: string;
  /** Where it stands, on another axis than the iterations'. */
  x?: number;
};

/** A mark on the axis where something happened; its word is read out with the values there. */
export type AxisMark = {
  x: number;
  color: string;
  label: string;
  kind: "alarm" | "collapse" | "recovery" | "restart" | "checkpoint";
};

/** Charts of many runs would drown in warnings: from here on only what is unstable or worse is drawn. */
const mostRunsWithWarnings = 1;
const colors: Record<Severity, string> = {
  info: "var(--muted)",
  warning: "var(--warn)",
  unstable: "var(--unstable)",
  collapsed: "var(--bad)",
  recovered: "var(--accent)",
};

const kinds: Record<Exclude<Severity, "info">, AxisMark["kind"]> = {
  warning: "alarm",
  unstable: "alarm",
  collapsed: "collapse",
  recovered: "recovery",
};

export function prepareFlags(
  events: readonly ChartEvent[],
  runs: ReadonlyMap<string, RunName>,
  entryOf: ReadonlyMap<number, LegendEntry>,
): AxisMark[] {
  const isOne = runs.size <= mostRunsWithWarnings;
  return events.flatMap(({ runId, iteration, severity, message, x = iteration }) => {
    const run = runs.get(runId);
    const entry = run && entryOf.get(run.cellId);
    if (!entry || severity === "info") return [];
    if (!isOne && severity !== "collapsed") return [];
    const who = isOne ? "" : `${entry.label}, seed ${run.seed}: `;
    const label = `${who}${message} (${iteration})`;
    return [{ x, color: isOne ? colors[severity] : entry.color, label, kind: kinds[severity] }];
  });
}

/** "3 collapses found by the detector: crosses on the axis, in the run's colour". */
export function formatFlags(flags: readonly AxisMark[], isOne: boolean): string[] {
  if (flags.length === 0) return [];
  return isOne
    ? [`${formatCount(flags.length, "alarm")} of the detector: marks on the axis`]
    : [`${formatCount(flags.length, "collapse")} found by the detector: crosses on the axis, in the run's colour`];
}
