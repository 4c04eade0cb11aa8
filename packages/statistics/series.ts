/** One metric of one run: iterations ascending; values may include NaN and infinities. Both (N,). */
export type Series = { runId: string; key: string; iterations: Int32Array; values: Float64Array };

/** Columns required by charts and statistics. */
export type Curve = Pick<Series, "iterations" | "values">;

export type NonFiniteMark = { iteration: number; kind: "NaN" | "Infinity" | "-Infinity" };

export function describeNonFinite(x: number): NonFiniteMark["kind"] {
  if (Number.isNaN(x)) return "NaN";
  return x > 0 ? "Infinity" : "-Infinity";
}
