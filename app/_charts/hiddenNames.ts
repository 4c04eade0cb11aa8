import type { LegendEntry } from "./names.ts";
import type { ChartSettings } from "./settings.ts";

type Entry = Pick<LegendEntry, "id" | "label">;

/** Replaces hidden lines' names, which the URL contains, by their ids. Ids of older URLs and unknown names stay. */
export function toHiddenIds(settings: ChartSettings, legend: readonly Entry[]): ChartSettings {
  const ids = new Map(legend.map(({ id, label }) => [nameOf({ id, label }, legend), id]));
  return { ...settings, hidden: new Set([...settings.hidden].map((name) => ids.get(name) ?? name)) };
}

/** Replaces hidden lines' ids by their names for the URL; a line that shares its name keeps its id. */
export function toHiddenNames(settings: ChartSettings, legend: readonly Entry[]): ChartSettings {
  const names = new Map(legend.map((entry) => [entry.id, nameOf(entry, legend)]));
  return { ...settings, hidden: new Set([...settings.hidden].map((id) => names.get(id) ?? id)) };
}

function nameOf({ id, label }: Entry, legend: readonly Entry[]): string {
  return legend.some((other) => other.id !== id && other.label === label) ? id : label;
}
