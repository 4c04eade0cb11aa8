import { median } from "#server/domain/statistics/summary.ts";
import { valueOf, type Panel } from "./columns.ts";
import type { FullOptions } from "./options.ts";
import type { LaidRow } from "./rows.ts";

/** Fewest and most seeds with a value, over the environments that a row was run in. */
export function countSeeds(
  row: LaidRow,
  panels: readonly Panel[],
  { rule }: FullOptions,
): { fewest: number; most: number } {
  const counts = panels
    .filter(({ isMain, environment }) => isMain && row.runs.has(environment))
    .map((panel) => (row.runs.get(panel.environment) ?? []).filter((run) => Number.isFinite(valueOf(run, panel, rule))))
    .map(({ length }) => length);
  return counts.length === 0 ? { fewest: 0, most: 0 } : { fewest: Math.min(...counts), most: Math.max(...counts) };
}

/** Evaluations of a run after training began, by the median. */
export function countCheckpoints(rows: readonly LaidRow[], panels: readonly Panel[]): number {
  const lengths = panels
    .filter(({ isMain }) => isMain)
    .flatMap(({ environment, metricKey }) =>
      rows.flatMap((row) => (row.runs.get(environment) ?? []).map(({ readings }) => readings.get(metricKey))),
    )
    .map((reading) => reading?.numEvaluations ?? 0);
  return median(lengths);
}
