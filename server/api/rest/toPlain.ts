/**
 * Converts an answer to portable JSON: dates are ISO 8601 in UTC, typed arrays are arrays, and non-finite numbers are
 * the strings "NaN", "Infinity" and "-Infinity", as Python's float() accepts.
 */
export function toPlain(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Float64Array || value instanceof Int32Array) return Array.from(value, toPlain);
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : toPlain(item)));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlain(item)]));
}
