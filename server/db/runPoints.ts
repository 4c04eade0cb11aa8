import type { Pool } from "pg";
import { relevantKeys, type Point } from "../domain/stability/point.ts";
import { readSeries } from "./points.ts";

/** What the rules read of a stored run, by iteration. */
export async function readRunPoints(pool: Pool, runId: string): Promise<Point[]> {
  const values = new Map<number, Record<string, number>>();
  for (const series of await readSeries(pool, { runIds: [runId], keys: relevantKeys })) {
    for (const [i, iteration] of series.iterations.entries()) {
      const own = values.get(iteration) ?? {};
      own[series.key] = series.values[i] ?? NaN;
      values.set(iteration, own);
    }
  }
  return [...values].sort(([a], [b]) => a - b).map(([iteration, own]) => ({ iteration, values: own }));
}
