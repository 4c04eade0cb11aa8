import type { Metric } from "#trainer/spec/metric.ts";
import { decimalsFor, type NumberFormat } from "#packages/base";
import type { Column } from "#packages/tables";

/** Unit and better direction of a column's metric. */
export type Measure = Pick<Metric, "unit" | "min" | "better"> | { unit: "s"; min: 0; better: "none" };

type MetricColumn = { key: string; header: string; metric: Measure; format: NumberFormat };

export function metricColumn({ key, header, metric, format }: MetricColumn): Column {
  const unit = unitOf(metric);
  const { min, better } = metric;
  return { key, header, ...(unit && { unit }), ...(min !== undefined && { min }), better, format };
}

/** Makes a format: percent with one decimal for fractions, else three significant digits of the largest value. */
export function formatFor({ unit }: Measure, values: readonly number[]): NumberFormat {
  if (unit === "fraction") return { shift: 2, decimals: 1 };
  return { shift: 0, decimals: decimalsFor(values, 3) };
}

/** Fractions are shown in percent. */
export function unitOf({ unit }: Measure): string {
  return unit === "fraction" ? "%" : unit;
}
