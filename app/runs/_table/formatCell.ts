import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { Field } from "#server/domain/runtable/field.ts";
import { formatHyperparameter, formatPrice } from "#server/domain/words.ts";
import { formatDuration, formatValue } from "#app/_charts/format.ts";

/** What a cell holds; dates and lists are drawn in their own way. */
export type PlainValue = string | number | null;

/** A value in words; empty where a run has none. */
export function formatCell(value: PlainValue, { key, type, group }: Pick<Field, "key" | "type" | "group">): string {
  if (key === "environment") return value === null ? "" : titleOfEnvironment(String(value));
  if (value === null || typeof value === "string") return value ?? "";
  if (type === "duration") return formatDuration(1000 * value);
  if (type === "date") return new Date(value).toISOString().slice(0, 10);
  if (group === "Metric") return formatValue(value);
  if (group === "Hyperparameter") return formatHyperparameter(value);
  if (key === "cost") return formatPrice(value);
  return value.toLocaleString("en-US");
}
