import type { FieldType } from "./field.ts";

const secondsOf: Readonly<Record<string, number>> = { s: 1, min: 60, m: 60, h: 3600, d: 86_400 };

/**
 * Parses a filter value as the number compared with the field; dates become Unix milliseconds. Undefined: not a number.
 */
export function readNumber(text: string, type: FieldType): number | undefined {
  if (type === "date") return readDate(text);
  const [, digits = "", unit = ""] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%|s|min|m|h|d)?$/i.exec(text) ?? [];
  if (digits === "") return undefined;
  const number = Number(digits);
  if (!Number.isFinite(number)) return undefined;
  if (unit === "") return number;
  if (unit === "%") return type === "number" ? number / 100 : undefined;
  return type === "duration" ? number * (secondsOf[unit.toLowerCase()] ?? NaN) : undefined;
}

function readDate(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z?)?$/.test(text)) return undefined;
  const ms = Date.parse(text.length === 10 || text.endsWith("Z") ? text : `${text}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Example of a valid number for this field, for error messages. */
export function describeNumber(type: FieldType): string {
  if (type === "date") return "a date such as 2026-11-22 or 2026-11-22T14:30";
  return type === "duration" ? "a duration such as 90s, 5min or 2h" : "a number such as 3, 1e-3 or 40%";
}
