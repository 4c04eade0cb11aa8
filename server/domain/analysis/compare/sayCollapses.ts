import { type CollapseCount, writeCollapses } from "#packages/detector";

/** Counts the collapses of all runs of sweeps; empty if none is judged. */
export function sayCollapses(sweeps: readonly CollapseCount[]): string {
  const sum = (key: keyof CollapseCount) => sweeps.reduce((total, one) => total + one[key], 0);
  const [numJudged, numCollapsed, numUnclear] = [sum("numJudged"), sum("numCollapsed"), sum("numUnclear")];
  return numJudged === 0
    ? ""
    : `In hindsight ${writeCollapses({ numJudged, numCollapsed, numUnclear }, "judged run")}.`;
}
