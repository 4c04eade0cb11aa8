import type { TableCell } from "../table.ts";

/**
 * Difference of a number from the baseline's; missing if either is, or if a percentage of almost zero would be
 * meaningless.
 */
export function changeTo(
  cell: TableCell | undefined,
  base: TableCell | undefined,
  of: "none" | "relative" | "points",
): TableCell {
  const [x, b] = [cell, base].map((one) =>
    one?.kind === "estimate" ? one.mean : one?.kind === "number" && !one.partOf ? one.value : NaN,
  );
  if (x === undefined || b === undefined || Number.isNaN(x - b)) return { kind: "missing" };
  if (of === "points") return { kind: "change", value: x - b, of: "points" };
  return Math.abs(b) < 1e-9
    ? { kind: "missing" }
    : { kind: "change", value: (100 * (x - b)) / Math.abs(b), of: "percent" };
}
