import type { CellField } from "#server/domain/runs/series/cellFields.ts";
import { colourIndex, methodColour } from "#server/domain/plan/sweep/methods/colours.ts";
import { labelsThatDiffer } from "#server/domain/plan/sweep/labels/labels.ts";
import { type Look, markApart } from "#server/domain/plan/sweep/methods/looks.ts";
import { shadeOf } from "#server/domain/plan/sweep/methods/shades.ts";
import { groupBy } from "#packages/base";
import { type LegendEntry, lineDashes } from "./names.ts";

export type LegendCell = {
  id: number;
  sweepId: string;
  sweepName: string;
  method: string;
  label: string;
  isStated?: boolean;
  /** Look that distinguishes the configuration within its sweep; the method's colour if it is not known. */
  look?: Look | undefined;
};

/** Configuration fields encoded by lightness and by dash pattern; an undefined channel encodes nothing. */
export type Encoding = {
  shade?: CellField | undefined;
  dash?: CellField | undefined;
  /** Field with one chart (small multiple) per level; the lines of each chart are distinguished separately. */
  facet?: CellField | undefined;
};

/**
 * Returns one legend entry per cell, in the given order. Lines have the look of their configuration, which is the same
 * on all pages; chosen fields replace its lightness and dashes. Dashes also distinguish the lines of several sweeps that
 * would otherwise look the same. Labels contain only the settings that differ, and the sweep's name if lines of a chart
 * would otherwise be named alike.
 */
export function prepareLegend(cells: readonly LegendCell[], { shade, dash, facet }: Encoding = {}): LegendEntry[] {
  const methods = [...new Set(cells.map((cell) => cell.method))];
  const chartOf = (cell: LegendCell) => facet && levelOf(facet, cell.id);
  const charts = groupBy(cells, chartOf);
  const settings = labelsThatDiffer(cells.map((cell) => cell.label));
  const named = cells.map((cell, i) => {
    const setting = cell.isStated ? cell.label : cells.length === 1 ? "" : (settings[i] ?? "");
    return { ...cell, name: [cell.method, setting].filter((part) => part !== "").join(" ") };
  });
  const alike = groupBy(named, (cell) => `${chartOf(cell)} ${cell.name}`);
  const lookOf = (cell: LegendCell) => {
    const slot = colourIndex(cell.method, methods);
    const step = shade && levelOf(shade, cell.id);
    const own = cell.look ?? { color: methodColour(slot), mark: 0 };
    if (shade === undefined) return { id: cell.id, ...own };
    const color = step === undefined ? methodColour(slot) : shadeOf(slot, step / (shade.levels.length - 1));
    return { id: cell.id, color, mark: 0 };
  };
  const looks = new Map(
    [...charts.values()].flatMap((inside) => markApart(inside.map(lookOf))).map((look) => [look.id, look]),
  );
  return named.map((cell) => {
    const { color, mark } = looks.get(cell.id) ?? lookOf(cell);
    const isShared = numSweepsOf(alike.get(`${chartOf(cell)} ${cell.name}`) ?? []) > 1;
    const label = isShared ? `${cell.name} (${cell.sweepName})` : cell.name;
    const pattern = (dash && levelOf(dash, cell.id)) ?? mark;
    return { id: String(cell.id), cellId: cell.id, label, color, mark, dash: lineDashes[pattern % lineDashes.length] };
  });
}

function numSweepsOf(cells: readonly LegendCell[]): number {
  return new Set(cells.map(({ sweepId }) => sweepId)).size;
}

function levelOf(field: CellField, cellId: number): number | undefined {
  return field.cells.find((cell) => cell.cellId === cellId)?.level;
}
