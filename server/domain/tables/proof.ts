import { canonicalJson } from "#trainer/spec/canonical.ts";
import { isOver, type RunStatus } from "#server/domain/runStatus.ts";
import type { Half } from "#server/domain/stability/evaluation/blind.ts";
import type { Grouping } from "#server/domain/stability/report/grouping.ts";
import type { TableOptions } from "./builder/options.ts";
import { listRunIds } from "./provenance.ts";
import type { Estimate, Table, TableCell } from "./table.ts";

/** What a table shows of which sweeps: enough to make it again. */
export type TableQuery =
  | FixedQuery
  | { kind: "built"; sweepIds: readonly string[]; options: TableOptions }
  | { kind: "climbs"; sweepIds: readonly string[] }
  | { kind: "forecast"; sweepIds: readonly string[] }
  | { kind: "hazards"; sweepIds: readonly string[] }
  | { kind: "survival"; sweepIds: readonly string[]; by: Grouping; baseline: string }
  | { kind: "equivalence"; sweepIds: readonly string[]; by: Grouping; baseline: string }
  | { kind: "blind"; sweepIds: readonly string[]; rules: string; half: Half };

/** One of the tables that need no options. */
export type FixedQuery = {
  kind: "final" | "beforeAfter" | "tasks" | "stability";
  sweepIds: readonly string[];
  metric: string;
  /** Of stability: by what runs are judged. Proofs made before it was stored leave it out: they judged by curves. */
  collapses?: "hindsight" | undefined;
};

/** A table as it is made today; only a proof asks for one as it was made before. */
export function queryFixed(query: Omit<FixedQuery, "collapses">): FixedQuery {
  return query.kind === "stability" ? { ...query, collapses: "hindsight" } : query;
}

/** Tables about collapses, which are of no metric. */
export const collapseKinds = ["survival", "equivalence", "hazards", "climbs", "forecast", "blind"] as const;
export type CollapseKind = (typeof collapseKinds)[number];

/** Whether a table is of labels and alarms, which are made of a run after it has ended or has been brought in. */
export function isOfLabels({ kind, collapses }: { kind?: unknown; collapses?: unknown }): boolean {
  return collapses === "hindsight" || collapseKinds.some((one) => one === kind);
}

/**
 * Names the code that computes tables: raised whenever the same runs give another number. A test notices.
 * Up to tables-3 rows came in the order in which runs were stored, and the interval of a restricted mean was not cut.
 */
export const tableCode = "tables-4";

/** Whether a table was made by the code from before `tables-4`, whose numbers are made anew to verify it. */
export function isOfStoredOrder(code: string): boolean {
  return /^tables-[0-3]$/.test(code);
}

/**
 * The text whose hash proves a table: query, runs, every number unrounded, and the code's version. How a table is
 * printed and worded is left out.
 */
export function proofText(query: TableQuery, table: Table, code = tableCode): string {
  const { sweepIds } = query;
  return canonicalJson({
    query: isOfStoredOrder(code) ? query : { ...query, sweepIds: sweepIds.toSorted() },
    code,
    runs: listRunIds(table.rows),
    columns: table.columns.map(({ key }) => key),
    rows: table.rows.map(({ cells }) => cells.map(toText)),
  });
}

/** A number of a run that goes on may change: only what is over is proved. */
export function canBeProved(table: Table, statuses: ReadonlyMap<string, RunStatus>): boolean {
  const runIds = listRunIds(table.rows);
  return (
    runIds.length > 0 &&
    runIds.every((id) => {
      const status = statuses.get(id);
      return status !== undefined && isOver(status);
    })
  );
}

/** JSON has no NaN and no infinity. */
function toText(cell: TableCell): string {
  switch (cell.kind) {
    case "text":
      return cell.text;
    case "number":
      return String(cell.value);
    case "meanStd":
      return `${cell.mean} ${cell.std} ${cell.n}`;
    case "estimate": {
      const { mean, std, n, interval, shown, correctedP, stars, numCollapsed, marks } = cell;
      return [
        mean,
        std,
        n,
        range(interval),
        besideOf(shown),
        correctedP ?? "",
        stars,
        numCollapsed ?? "",
        ...marks,
      ].join(" ");
    }
    case "share":
      return `${cell.k}/${cell.n}`;
    case "change":
      return `${cell.value} ${cell.of}`;
    case "missing":
      return [cell.isDiverged === true ? "nan" : "", ...(cell.marks ?? [])].join(" ").trim();
  }
}

function range(of: { low: number; high: number } | undefined): string {
  return of ? `${of.low} ${of.high}` : "";
}

function besideOf(shown: Estimate["shown"]): string {
  switch (shown.kind) {
    case "none":
      return "";
    case "plusMinus":
      return String(shown.value);
    case "interval":
      return shown.halfWidth === undefined ? range(shown) : String(shown.halfWidth);
  }
}
