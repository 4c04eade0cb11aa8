import type { TableCell } from "../table.ts";

/** What a number differs by from the baseline's; missing where either is, or where percent of next to nothing would mean nothing. */
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
