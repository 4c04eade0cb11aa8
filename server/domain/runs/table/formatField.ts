import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import { writeFigure } from "#packages/statistics";
import { formatDuration, formatSetting, formatPrice } from "#packages/base";
import { unitOf, type Field } from "./field.ts";

/** Value of a field, except dates and lists, which are formatted separately. */
export type PlainValue = string | number | null;

/** Columns of the table of runs whose values are stored in the database as lower-case words. */
const wordFields = ["state", "alarm", "hindsight", "reason"];

/** Formats a value as text; empty if there is no value. */
export function formatField(value: PlainValue, { key, type, group }: Pick<Field, "key" | "type" | "group">): string {
  if (value === null) return "";
  if (key === "environment") return titleOfEnvironment(String(value));
  if (typeof value === "string") return wordFields.includes(key) ? toTitle(value) : value;
  if (type === "duration") return formatDuration(1000 * value);
  if (type === "date") return new Date(value).toISOString().slice(0, 10);
  if (group === "Metric") return writeFigure(value, unitOf(key));
  if (group === "Hyperparameter") return formatSetting(value);
  if (key === "cost") return formatPrice(value);
  return value.toLocaleString("en-US");
}

/** Formats "out_of_memory" as "Out of memory". */
function toTitle(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`.replaceAll("_", " ");
}
