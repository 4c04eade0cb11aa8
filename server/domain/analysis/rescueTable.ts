import { unclearSentence } from "#packages/detector";
import type { NumberFormat } from "#packages/base";
import type { PairedEffect } from "#packages/statistics";
import { isCompared } from "#server/domain/analysis/branchOutcome.ts";
import type { ArmReport, RescueReport, RescueRun } from "#server/domain/analysis/rescue.ts";
import { describeCost } from "#server/domain/analysis/rescueCost.ts";
import {
  type Column,
  type CsvValue,
  type Row,
  type Table,
  type TableCell,
  estimateCell,
  toCsvText,
} from "#packages/tables";

const percent: NumberFormat = { shift: 2, decimals: 0 };
const plain = { better: "none" } as const;

const columns: Column[] = [
  { key: "change", header: "Change", ...plain, format: percent },
  { key: "origins", header: "Origins", ...plain, format: { shift: 0, decimals: 0 } },
  { key: "collapsed", header: "Collapsed", ...plain, format: percent },
  { key: "unclear", header: "Unclear", ...plain, format: { shift: 0, decimals: 0 } },
  { key: "before", header: "Collapsed before", ...plain, format: { shift: 0, decimals: 0 } },
  { key: "success", header: "Success", unit: "%", ...plain, format: percent },
  { key: "difference", header: "Difference to unchanged", unit: "points", ...plain, format: percent },
  { key: "p", header: "p (Holm)", ...plain, format: { shift: 0, decimals: 3 } },
];

/** Makes one row per change, first over all origins, then for each method and environment of the origins. */
export function toRescueTable(report: RescueReport & { runs: readonly RescueRun[] }): Table {
  const { overall, groups, cost } = report;
  const runs = report.runs.filter(isCompared);
  const all = groups.length > 0 ? "All origins" : undefined;
  return {
    caption:
      "Branches of collapsed runs with one change each: collapses after the change in hindsight, success in the final window, and the difference in success to unchanged branches.",
    label: "rescue",
    columns,
    rows: [
      ...toRows(overall, runs, all),
      ...groups.flatMap(({ group, arms }) =>
        toRows(
          arms,
          runs.filter((run) => run.group === group),
          group,
        ),
      ),
    ],
    notes: [
      "Differences are paired by origin, iteration and continuation. Their 95 % CI and p (with Holm's correction over the changes) are Student's t over the means of the origins, or over continuations for one origin.",
      unclearSentence,
      ...report.notes,
      ...(cost ? [describeCost(cost)] : []),
    ],
    isUnmarked: true,
    provenance: { sweepName: "" },
  };
}

function toRows(arms: readonly ArmReport[], runs: readonly RescueRun[], heading: string | undefined): Row[] {
  return arms.map((report) => {
    const { arm, isNothing, numJudged, numCollapsed, numUnclear, numBefore, success, successDifference, pHolm } =
      report;
    const own = runs.filter((run) => run.arm === arm);
    return {
      cells: [
        { kind: "text", text: arm },
        { kind: "number", value: new Set(own.map(({ origin }) => origin)).size },
        numJudged === 0 ? { kind: "missing" } : { kind: "share", k: numCollapsed, n: numJudged },
        { kind: "number", value: numUnclear },
        { kind: "number", value: numBefore },
        Number.isNaN(success) ? { kind: "missing" } : { kind: "number", value: success },
        isNothing ? { kind: "missing" } : toCell(successDifference),
        Number.isNaN(pHolm) ? { kind: "missing" } : { kind: "number", value: pHolm },
      ],
      runIds: own.map(({ runId }) => runId),
      ...(heading !== undefined && { heading, block: heading }),
    };
  });
}

function toCell({ difference, interval, numPairs }: PairedEffect): TableCell {
  return numPairs === 0 ? { kind: "missing" } : estimateCell(difference, numPairs, interval);
}

export function toRescueCsv(runs: readonly RescueRun[]): string {
  const lines = runs.map((run): CsvValue[] => {
    const { runId, origin, group, iteration, lead, arm, continuation, hindsight, outcome, time, success } = run;
    const place = [runId, origin, group, iteration, lead ?? "", arm, continuation];
    return [...place, hindsight, outcomeWords[outcome], time, success];
  });
  const heads = ["run", "origin", "method and environment", "after", "before the alarm", "change", "continuation"];
  return toCsvText([[...heads, "hindsight", "after the change", "iterations without a collapse", "success"], ...lines]);
}

const outcomeWords: Record<RescueRun["outcome"], string> = {
  collapsed: "collapsed",
  kept: "not collapsed",
  unclear: "unclear",
  before: "collapsed before",
  "not judged": "not judged",
  "not judged yet": "not judged yet",
};
