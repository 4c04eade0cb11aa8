import { formatCount, groupBy } from "#packages/base";
import { type Hindsight, isCollapse, type Outcome, writeCollapses } from "#packages/detector";
import { median } from "#packages/statistics";
import { boundCollapses } from "#server/domain/runs/headline/boundCollapses.ts";

type Judged = {
  /** Id of the run's configuration. */
  cellId: number;
  hindsight: Outcome;
  label: Hindsight["label"] | null;
  /** Iterations from the detector's first true alarm to the collapse. */
  lead: number | null;
  isDetected: boolean | null;
};

/** Says how many of the counted runs collapsed, and how many of these collapses the detector found, and how early. */
export function summariseOverview(runs: readonly Judged[]): string {
  const over = runs.filter(({ label }) => label !== null && label.kind !== "notJudged");
  const collapsed = over.filter(({ label }) => label !== null && isCollapse(label));
  const found = collapsed.filter(({ isDetected }) => isDetected === true);
  const leads = found.flatMap(({ lead }) => (lead === null ? [] : [lead]));
  const numAwaited = runs.filter(({ hindsight }) => hindsight.word === "not judged yet").length;
  const unjudged = runs.length - over.length - numAwaited;
  const rest =
    unjudged > 0 ? ` Not judged: ${formatCount(unjudged, "run")}, too short or without a success metric.` : "";
  if (over.length === 0) return `No run has been judged yet: a run is judged when it ends.${rest}`;
  const countOf = (own: typeof over) => ({
    numJudged: own.length,
    numCollapsed: own.filter(({ label }) => label !== null && isCollapse(label)).length,
    numUnclear: own.filter(({ label }) => label?.kind === "ambiguous").length,
  });
  const count = countOf(over);
  if (collapsed.length === 0) {
    const counts = [...groupBy(over, ({ cellId }) => cellId).values()].map(countOf);
    return `In hindsight ${writeCollapses(count, "judged run")}; ${boundCollapses(counts, " of a configuration")}.${rest}`;
  }
  const judged = `In hindsight ${writeCollapses(count, "judged run")}.${rest}`;
  const early = leads.length === 0 ? "" : `, in the median ${describeLead(median(leads))}`;
  return `${judged} The detector raised an alarm (unstable or worse) for ${found.length} of ${formatCount(collapsed.length, "collapsed run")}${early}.`;
}

/** Describes an alarm's lead over the collapse in iterations; negative: the alarm came after the collapse. */
export function describeLead(lead: number): string {
  if (lead === 0) return "at the collapse";
  return `${formatCount(Math.abs(lead), "iteration")} ${lead > 0 ? "early" : "late"}`;
}
