/** One metric of one run: iterations ascending, values with NaN and infinities kept. Both (N,). */
export type Series = { runId: string; key: string; iterations: Int32Array; values: Float64Array };

/** The columns that charts and statistics need. */
export type Curve = Pick<Series, "iterations" | "values">;

export type NonFiniteMark = { iteration: number; kind: "NaN" | "Infinity" | "-Infinity" };

export function describeNonFinite(x: number): NonFiniteMark["kind"] {
  if (Number.isNaN(x)) return "NaN";
  return x > 0 ? "Infinity" : "-Infinity";
}
