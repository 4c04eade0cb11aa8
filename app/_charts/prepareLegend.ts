import { colourIndex } from "#server/domain/sweep/colours.ts";
import { methodColour } from "../_ui/methodColour.ts";
import type { LegendEntry } from "./names.ts";

export type LegendCell = { id: number; sweepId: string; sweepName: string; method: string; label: string };

/** Cells that share a method share its colour; their dashes tell them apart. */
const dashes = [undefined, "6 3", "2 2", "9 3 2 3", "12 4", "1 3"] as const;

/**
 * One entry per cell, in the order given. The colour is the method's, the same on every page; the label says no more
 * than is needed to tell the cells apart: axis values where they differ, the sweep's name where there are several.
 */
export function prepareLegend(cells: readonly LegendCell[]): LegendEntry[] {
  const methods = [...new Set(cells.map((cell) => cell.method))];
  const numSweeps = new Set(cells.map((cell) => cell.sweepId)).size;
  const numLabels = new Set(cells.map((cell) => cell.label)).size;
  const used = new Map<string, number>();
  return cells.map((cell) => {
    const color = methodColour(colourIndex(cell.method, methods));
    const nth = used.get(color) ?? 0;
    used.set(color, nth + 1);
    const parts = [cell.method, numLabels > 1 ? cell.label : "", numSweeps > 1 ? `(${cell.sweepName})` : ""];
    const label = parts.filter((part) => part !== "").join(" ");
    return { id: String(cell.id), cellId: cell.id, label, color, dash: dashes[nth % dashes.length] };
  });
}
