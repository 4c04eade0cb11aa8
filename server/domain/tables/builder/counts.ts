import { median } from "#server/domain/statistics/summary.ts";
import { runsIn, type Panel } from "./panels.ts";
import type { LaidRow } from "./rows.ts";

/** Fewest and most seeds with a value, over the environments that a row was run in. */
export function countSeeds(row: LaidRow, panels: readonly Panel[]): { fewest: number; most: number } {
  const counts = panels
    .filter(({ isMain, environment }) => isMain && (environment === undefined || row.runs.has(environment)))
    .map((panel) => runsIn(row, panel).filter((run) => Number.isFinite(panel.value(run))).length);
  return counts.length === 0 ? { fewest: 0, most: 0 } : { fewest: Math.min(...counts), most: Math.max(...counts) };
}

/** Evaluations of a run after training began, by the median. */
export function countCheckpoints(rows: readonly LaidRow[], panels: readonly Panel[]): number {
  const lengths = panels
    .filter(({ isMain }) => isMain)
    .flatMap((panel) => rows.flatMap((row) => runsIn(row, panel).map(({ readings }) => readings.get(panel.metricKey))))
    .map((reading) => reading?.numEvaluations ?? 0);
  return median(lengths);
}
