import { badInput } from "#packages/base";
import { mean } from "#packages/statistics";
import { type TableCell, rankValue } from "#packages/tables";
import { unitOf } from "./columnParts.ts";
import type { FullOptions } from "./options.ts";
import type { Panel } from "./panels.ts";

/**
 * Finds the averaged columns: those marked, else each environment's first. Empty if no average is shown, or of a single
 * column. Throws `bad_input` if units differ.
 */
export function findAveraged(panels: readonly Panel[], { average, columns }: FullOptions): Panel[] {
  if (!average) return [];
  const chosen = columns.some(({ averaged }) => averaged === true)
    ? panels.filter((_, c) => columns[c]?.averaged === true)
    : panels.filter(({ isMain }) => isMain);
  if (chosen.length < 2) return [];
  const units = [...new Set(chosen.map(({ metric }) => unitOf(metric) || "no unit"))];
  if (units.length > 1) {
    const message = `the average would be over columns of different units (${units.join(", ")}); choose columns of one unit`;
    throw badInput([{ path: "columns", message }]);
  }
  return chosen;
}

export function averager(panels: readonly Panel[], averaged: readonly Panel[], over: FullOptions["averageOf"]) {
  return (cells: readonly TableCell[]): TableCell =>
    averageOf(
      cells.filter((_, c) => averaged.some((panel) => panel === panels[c])),
      over,
    );
}

/** Averages a row's cells; missing if one has no number and `complete` is requested. */
function averageOf(cells: readonly TableCell[], over: FullOptions["averageOf"]): TableCell {
  const means = cells.flatMap((cell) => rankValue(cell) ?? []).filter((x) => Number.isFinite(x));
  if (means.length === cells.length && cells.length > 0) return { kind: "number", value: mean(means) };
  if (over === "complete" || means.length === 0) return { kind: "missing" };
  return { kind: "number", value: mean(means), partOf: { n: means.length, of: cells.length } };
}
