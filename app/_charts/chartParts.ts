import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { CellField } from "#server/domain/runs/series/cellFields.ts";
import type { LegendEntry } from "./names.ts";

/**
 * One of several charts of a metric: its name, the legend with its labels, and the ids of the lines that the other
 * charts show.
 */
export type ChartPart = {
  name: string;
  legend: readonly LegendEntry[];
  others: readonly string[];
  /** Environment of the part, if parts are environments. */
  environment: string | undefined;
};

/**
 * Returns one part per level of a field; without a field, a single undefined part, which stands for the whole chart.
 */
export function partsOf(field: CellField | undefined, legend: readonly LegendEntry[]): (ChartPart | undefined)[] {
  if (field === undefined) return [undefined];
  return field.levels.map((level, i) => {
    const inside = new Set(field.cells.flatMap((cell) => (cell.level === i ? [cell.cellId] : [])));
    const name = nameOf(field, level);
    return {
      name,
      environment: field.key === "environment" ? level : undefined,
      legend: legend.map((entry) => ({ ...entry, label: withoutPart(entry.label, name) })),
      others: legend.flatMap(({ id, cellId }) => (inside.has(cellId) ? [] : [id])),
    };
  });
}

/** Names a level of a setting as configuration labels do ("learning rate 3e-4"); a sweep keeps its own name. */
function nameOf({ key, title }: CellField, level: string): string {
  if (key === "environment") return titleOfEnvironment(level);
  if (key === "sweep") return level;
  const name = title.replace(/ \(.*\)$/, "");
  return `${/^[A-Z][a-z]/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name} ${level}`;
}

/**
 * Removes the part's name from a line's label, because the chart's title states it: "GRPO learning rate 3e-4, lag 1"
 * without "learning rate 3e-4" gives "GRPO lag 1".
 */
export function withoutPart(label: string, part: string): string {
  const [first = "", ...others] = label.split(", ");
  const rest = others.filter((other) => other !== part);
  if (!first.endsWith(` ${part}`)) return [first, ...rest].join(", ");
  const method = first.slice(0, -part.length - 1);
  return rest.length === 0 ? method : `${method} ${rest.join(", ")}`;
}
