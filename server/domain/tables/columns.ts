import type { Metric } from "#trainer/spec/metric.ts";
import { isOver } from "#server/domain/runStatus.ts";
import { finalWindow } from "#server/domain/statistics/curve.ts";
import { mean, std } from "#server/domain/statistics/summary.ts";
import { latexOfMethod } from "#server/domain/sweep/labels.ts";
import type { RunCurve, TableInput } from "./input.ts";
import { decimalsFor } from "./number.ts";
import type { Column, NumberFormat, Table, TableCell } from "./table.ts";
import { formatCount } from "#server/domain/words.ts";

/** The sentence every caption needs: which evaluations a number stands for. */
export const finalWindowSentence = "final window: the last 10 % of evaluations, at least 3";

const plain: NumberFormat = { shift: 0, decimals: 0 };
export const methodColumn: Column = { key: "method", header: "Method", better: "none", format: plain };

export function textColumn(key: string, header: string): Column {
  return { key, header, better: "none", format: plain };
}

export function metricColumn(given: { key: string; header: string; metric: Metric; format: NumberFormat }): Column {
  const unit = unitOf(given.metric);
  const { key, header, format } = given;
  return { key, header, ...(unit ? { unit } : {}), better: given.metric.better, format };
}

export function methodCell(method: string): TableCell {
  const latex = latexOfMethod(method);
  return { kind: "text", text: method, ...(latex ? { latex } : {}) };
}

/** Mean and deviation over runs of one number each; runs that have none do not count. */
export function summarize<C>(curves: readonly C[], read: (curve: C) => number): TableCell {
  const values = curves.map(read).filter((x) => Number.isFinite(x));
  if (values.length === 0) return { kind: "missing" };
  return { kind: "meanStd", mean: mean(values), std: std(values), n: values.length };
}

/** What stands beside a mean: nothing can be said of the spread where each cell has one run alone. */
export function saySpread(cells: readonly { curves: readonly RunCurve[] }[]): string {
  const counts = cells.map(({ curves }) => curves.filter((curve) => Number.isFinite(finalWindow(curve).value)).length);
  const most = Math.max(0, ...counts);
  return most === 1 ? "one seed each, so no spread" : "mean ± std over n seeds";
}

/** Percent with one decimal for fractions, else three significant digits of the largest value. */
export function formatFor(metric: Metric, values: readonly number[]): NumberFormat {
  if (metric.unit === "fraction") return { shift: 2, decimals: 1 };
  return { shift: 0, decimals: decimalsFor(values, 3) };
}

export function provenanceOf({ sweepName, planHash }: Pick<TableInput, "sweepName" | "planHash">): Table["provenance"] {
  return { sweepName, ...(planHash ? { planHash } : {}) };
}

/** What the reader must know about values that are missing from the means, or in them and not final. */
export function describeMissing(curves: readonly RunCurve[]): string[] {
  const count = (test: (curve: RunCurve) => boolean) => curves.filter(test).length;
  const remarks: [number, string][] = [
    [count(({ status }) => status !== undefined && !isOver(status)), "not over yet: their numbers are provisional"],
    [count(({ status }) => status === "failed"), "failed: they count with what they measured"],
    [count(({ status }) => status === "cancelled"), "cancelled: they count with what they measured"],
    [
      count((curve) => Number.isNaN(finalWindow(curve).value)),
      "without an evaluation after training began: they do not count",
    ],
    [
      count((curve) => finalWindow(curve).numNonFinite > 0),
      "with non-finite evaluations in the final window: these are left out",
    ],
  ];
  return remarks.filter(([n]) => n > 0).map(([n, text]) => `${n} of ${formatCount(curves.length, "run")} ${text}.`);
}

/** Fractions are shown as percent. */
export function unitOf({ unit }: Metric): string {
  return unit === "fraction" ? "%" : unit;
}
