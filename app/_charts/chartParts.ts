import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { CellField } from "#server/domain/runs/series/cellFields.ts";
import type { LegendEntry } from "./names.ts";

/** Small multiple of a metric, for one level of a field. `others`: ids of lines that only other multiples draw. */
export type ChartPart = {
  name: string;
  legend: readonly LegendEntry[];
  others: readonly string[];
  /** Environment that this chart shows, if the small multiples are environments. */
  environment: string | undefined;
};

/** Returns one small multiple per level of a field; without a field, one undefined item for the whole chart. */
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

/** Names a level as configuration labels do, for example "learning rate 3e-4"; a sweep keeps its own name. */
function nameOf({ key, title }: CellField, level: string): string {
  if (key === "environment") return titleOfEnvironment(level);
  if (key === "sweep") return level;
  const name = title.replace(/ \(.*\)$/, "");
  return `${/^[A-Z][a-z]/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name} ${level}`;
}

/** Removes a small multiple's name from a label: "GRPO learning rate 3e-4, lag 1" becomes "GRPO lag 1". */
export function withoutPart(label: string, part: string): string {
  const [first = "", ...others] = label.split(", ");
  const rest = others.filter((other) => other !== part);
  if (!first.endsWith(` ${part}`)) return [first, ...rest].join(", ");
  const method = first.slice(0, -part.length - 1);
  return rest.length === 0 ? method : `${method} ${rest.join(", ")}`;
}
