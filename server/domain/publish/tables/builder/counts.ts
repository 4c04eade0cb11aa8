import { median } from "#packages/statistics";
import { runsIn, type Panel } from "./panels.ts";
import type { LaidRow } from "./rows.ts";

/** Minimum and maximum number of seeds with a value, over the row's environments. */
export function countSeeds(row: LaidRow, panels: readonly Panel[]): { fewest: number; most: number } {
  const counts = panels
    .filter(({ isMain, environment }) => isMain && (environment === undefined || row.runs.has(environment)))
    .map((panel) => runsIn(row, panel).filter((run) => Number.isFinite(panel.value(run))).length);
  return counts.length === 0 ? { fewest: 0, most: 0 } : { fewest: Math.min(...counts), most: Math.max(...counts) };
}

/** Median number of evaluations of a run after iteration 0. */
export function countCheckpoints(rows: readonly LaidRow[], panels: readonly Panel[]): number {
  const lengths = panels
    .filter(({ isMain }) => isMain)
    .flatMap((panel) => rows.flatMap((row) => runsIn(row, panel).map(({ readings }) => readings.get(panel.metricKey))))
    .map((reading) => reading?.numEvaluations ?? 0);
  return median(lengths);
}
