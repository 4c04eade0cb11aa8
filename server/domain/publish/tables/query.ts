import type { DependentChoice, EqualChoice } from "#server/domain/plan/sweep/dependence.ts";
import type { Half } from "#packages/detector";
import type { Grouping } from "#server/domain/analysis/stability/grouping.ts";
import type { TableOptions } from "./builder/options.ts";
import type { TransferMeasure } from "./transferTable.ts";

/**
 * Query from which a table can be computed again. `dependent` is "leftOut" if branches, starts or search trials are left
 * out, and `equal` is "once" if runs that are equal at every step count once; old queries lack both, and their tables
 * count every run.
 */
export type TableQuery = TableOf & Counting;

/** Early tables about alarms left out runs whose label is unclear. Queries without this field are of such tables. */
export type UnclearChoice = "counted" | "leftOut";
type Unclear = { unclear?: UnclearChoice | undefined };

type Counting = { dependent?: DependentChoice | undefined; equal?: EqualChoice | undefined };

type TableOf =
  | FixedQuery
  | { kind: "built"; sweepIds: readonly string[]; options: TableOptions }
  | ({ kind: "climbs"; sweepIds: readonly string[] } & Unclear)
  | ({ kind: "forecast"; sweepIds: readonly string[] } & Unclear)
  | { kind: "hazards"; sweepIds: readonly string[] }
  | { kind: "rescue"; sweepIds: readonly string[] }
  | {
      kind: "transfer";
      sweepIds: readonly string[];
      measure: TransferMeasure;
      /** Last included evaluation that was requested after training; absent if none. */
      evaluations?: number | undefined;
    }
  | { kind: "survival"; sweepIds: readonly string[]; by: Grouping; baseline: string }
  | { kind: "equivalence"; sweepIds: readonly string[]; by: Grouping; baseline: string }
  | ({ kind: "blind"; sweepIds: readonly string[]; rules: string; half: Half } & Unclear);

/** Query of a preset table, which has no options. */
export type FixedQuery = Counting & {
  kind: "final" | "beforeAfter" | "tasks" | "stability";
  sweepIds: readonly string[];
  metric: string;
  /** Source of collapses. Old proofs lack this field; their collapses were computed from curves. */
  collapses?: "hindsight" | undefined;
};

/** Completes a query to its current form. Older forms occur only in proofs. */
export function queryFixed(query: Omit<FixedQuery, "collapses">): FixedQuery {
  return query.kind === "stability" ? { ...query, collapses: "hindsight" } : query;
}

/** Kinds of tables about collapses, whose queries contain no metric. */
export const collapseKinds = ["survival", "equivalence", "hazards", "climbs", "forecast", "blind"] as const;
export type CollapseKind = (typeof collapseKinds)[number];

/** True for tables with hindsight labels or alarms, which exist only after the detector processed the runs. */
export function isOfLabels({ kind, collapses }: { kind?: unknown; collapses?: unknown }): boolean {
  return collapses === "hindsight" || kind === "rescue" || collapseKinds.some((one) => one === kind);
}
