import type { RunStability } from "#server/api/reports/stability.ts";
import { statuses, type Status } from "#server/domain/stability/verdict/status.ts";
import { isCollapse } from "#server/domain/stability/label/label.ts";
import { median } from "#server/domain/statistics/summary.ts";
import { badness } from "#app/_components/stability/statusLooks.ts";
import { formatCount } from "#app/_charts/format.ts";

export type Overview = {
  counts: { status: Status; count: number }[];
  numSilent: number;
  /** What the strips show somewhere, in the order of states. */
  inStrips: Status[];
  /** Iterations of the longest run. */
  length: number;
  sentence: string;
  missing: { title: string; needs: string; numRuns: number }[];
  rows: RunStability[];
};

export function prepareOverview(runs: readonly RunStability[], order: "worst" | "plan"): Overview {
  const counts = statuses.map((status) => ({ status, count: runs.filter((run) => run.status === status).length }));
  const missing = new Map<string, { title: string; needs: string; numRuns: number }>();
  for (const run of runs) {
    for (const { name, title, needs } of run.missing) {
      const known = missing.get(name) ?? { title, needs, numRuns: 0 };
      missing.set(name, { ...known, numRuns: known.numRuns + 1 });
    }
  }
  const rank = ({ status }: RunStability) => (status === null ? 9 : badness[status]);
  return {
    counts: counts.filter(({ count }) => count > 0),
    numSilent: runs.filter(({ status }) => status === null).length,
    inStrips: statuses.filter((status) =>
      runs.some(({ changes }) => changes.some((change) => change.status === status)),
    ),
    length: runs.reduce((most, { iteration }) => Math.max(most, iteration), 1),
    sentence: formatLabels(runs),
    missing: [...missing.values()],
    rows: order === "plan" ? [...runs] : runs.toSorted((a, b) => rank(a) - rank(b)),
  };
}

function formatLabels(runs: readonly RunStability[]): string {
  const over = runs.filter(({ label }) => label !== null);
  const collapsed = over.filter(({ label }) => label !== null && isCollapse(label));
  const found = collapsed.filter(({ isDetected }) => isDetected === true);
  const leads = found.flatMap(({ lead }) => (lead === null ? [] : [lead]));
  if (over.length === 0) return "No run is over yet: labels in hindsight come when one ends.";
  const judged = `${over.length} of ${formatCount(runs.length, "run")} ${over.length === 1 ? "is" : "are"} over; in hindsight ${collapsed.length} of them collapsed.`;
  if (collapsed.length === 0) return judged;
  const early = leads.length === 0 ? "" : `, at the median ${describeLead(median(leads))}`;
  return `${judged} The detector reached unstable or worse for ${found.length} of ${collapsed.length}${early}.`;
}

/** When an alarm came, by its lead in iterations: negative ones came after the collapse. */
export function describeLead(lead: number): string {
  if (lead === 0) return "with the collapse";
  return `${formatCount(Math.abs(lead), "iteration")} ${lead > 0 ? "early" : "late"}`;
}
