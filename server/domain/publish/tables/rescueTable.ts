import type { NumberFormat } from "#packages/base";
import type { PairedEffect } from "#packages/statistics";
import type { ArmReport, RescueReport, RescueRun } from "#server/domain/analysis/rescue.ts";
import { describeCost } from "#server/domain/analysis/rescueCost.ts";
import { toCsvText, type CsvValue } from "./csv.ts";
import { type Column, estimateCell, type Row, type Table, type TableCell } from "./table.ts";

const percent: NumberFormat = { shift: 2, decimals: 0 };
const plain = { better: "none" } as const;

const columns: Column[] = [
  { key: "change", header: "Change", ...plain, format: percent },
  { key: "origins", header: "Origins", ...plain, format: { shift: 0, decimals: 0 } },
  { key: "collapsed", header: "Collapsed", ...plain, format: percent },
  { key: "success", header: "Success", unit: "%", ...plain, format: percent },
  { key: "difference", header: "Difference to unchanged", unit: "points", ...plain, format: percent },
  { key: "p", header: "p (Holm)", ...plain, format: { shift: 0, decimals: 3 } },
];

/** Makes one row per change, first over all origins, then for each method and environment of the origins. */
export function toRescueTable({ overall, groups, runs, cost }: RescueReport & { runs: readonly RescueRun[] }): Table {
  const all = groups.length > 0 ? "All origins" : undefined;
  return {
    caption:
      "Branches of collapsed runs with one change each: collapses in hindsight, success in the final window, and the difference in success to unchanged branches.",
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
      "Differences are paired by origin, iteration and continuation. 95 % CI: t interval for one origin, two-level bootstrap for several origins (origins, then continuations).",
      "p: paired t test, over the means of the origins where there are several, with Holm's correction over the changes.",
      "Branches that are unclear in hindsight are not counted among the collapsed.",
      ...(cost ? [describeCost(cost)] : []),
    ],
    isUnmarked: true,
    provenance: { sweepName: "" },
  };
}

function toRows(arms: readonly ArmReport[], runs: readonly RescueRun[], heading: string | undefined): Row[] {
  return arms.map(({ arm, isNothing, numJudged, numCollapsed, success, successDifference, pHolm }) => {
    const own = runs.filter((run) => run.arm === arm);
    return {
      cells: [
        { kind: "text", text: arm },
        { kind: "number", value: new Set(own.map(({ origin }) => origin)).size },
        numJudged === 0 ? { kind: "missing" } : { kind: "share", k: numCollapsed, n: numJudged },
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
    const { runId, origin, group, iteration, lead, arm, continuation, collapsed, time, success } = run;
    const label = collapsed === null ? "" : collapsed ? "collapsed" : "not collapsed";
    return [runId, origin, group, iteration, lead ?? "", arm, continuation, label, time, success];
  });
  const heads = ["run", "origin", "method and environment", "after", "before the alarm", "change", "continuation"];
  return toCsvText([[...heads, "hindsight", "iterations without a collapse", "success"], ...lines]);
}
