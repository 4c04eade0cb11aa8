import type { CellField } from "#server/domain/runs/series/cellFields.ts";
import { colourIndex } from "#server/domain/plan/sweep/methods/colours.ts";
import { labelsThatDiffer } from "#server/domain/plan/sweep/labels/labels.ts";
import { methodColour } from "../_ui/methodColour.ts";
import { shadeOf } from "../_ui/shades.ts";
import { groupBy } from "#packages/base";
import { type LegendEntry, lineDashes } from "./names.ts";

export type LegendCell = {
  id: number;
  sweepId: string;
  sweepName: string;
  method: string;
  label: string;
  isStated?: boolean;
};

/** Configuration fields encoded by lightness and by dash pattern; an undefined channel encodes nothing. */
export type Encoding = {
  shade?: CellField | undefined;
  dash?: CellField | undefined;
  /** Field with one chart (small multiple) per level; the lines of each chart are distinguished separately. */
  facet?: CellField | undefined;
};

/**
 * Returns one legend entry per cell, in the given order. Hue encodes the method, lightness and dashes one field each;
 * dashes also distinguish cells that would otherwise look the same. Labels contain only the settings that differ, and
 * the sweep's name if a chart has several sweeps.
 */
export function prepareLegend(cells: readonly LegendCell[], { shade, dash, facet }: Encoding = {}): LegendEntry[] {
  const methods = [...new Set(cells.map((cell) => cell.method))];
  const chartOf = (cell: LegendCell) => facet && levelOf(facet, cell.id);
  const sweepsOf = new Map([...groupBy(cells, chartOf)].map(([chart, inside]) => [chart, numSweepsOf(inside)]));
  const labels = labelsThatDiffer(cells.map((cell) => cell.label));
  const used = new Map<string, number>();
  return cells.map((cell, i) => {
    const slot = colourIndex(cell.method, methods);
    const step = shade && levelOf(shade, cell.id);
    const color =
      shade === undefined || step === undefined ? methodColour(slot) : shadeOf(slot, step / (shade.levels.length - 1));
    const chosen = dash && levelOf(dash, cell.id);
    const look = `${chartOf(cell) ?? ""} ${color} ${chosen ?? ""}`;
    const nth = used.get(look) ?? 0;
    used.set(look, nth + 1);
    const parts = [
      cell.method,
      cell.isStated ? cell.label : cells.length === 1 ? "" : (labels[i] ?? ""),
      (sweepsOf.get(chartOf(cell)) ?? 1) > 1 ? `(${cell.sweepName})` : "",
    ];
    const label = parts.filter((part) => part !== "").join(" ");
    const pattern = lineDashes[(chosen ?? nth) % lineDashes.length];
    return { id: String(cell.id), cellId: cell.id, label, color, dash: pattern };
  });
}

function numSweepsOf(cells: readonly LegendCell[]): number {
  return new Set(cells.map(({ sweepId }) => sweepId)).size;
}

function levelOf(field: CellField, cellId: number): number | undefined {
  return field.cells.find((cell) => cell.cellId === cellId)?.level;
}
