import type { Pool } from "pg";
import { withRates, relevantKeys, withChanges, type Point } from "#packages/detector";
import { readExternalChanges } from "../analysis/externalChanges.ts";
import { readSeries } from "./points.ts";

/** Points of a stored run that the rules read, by iteration. Success rates are fractions, whatever the run logs. */
export async function readRunPoints(pool: Pool, runId: string): Promise<readonly Point[]> {
  return withRates(await readLoggedPoints(pool, runId));
}

/** The same points as logged. */
export async function readLoggedPoints(pool: Pool, runId: string): Promise<readonly Point[]> {
  const values = new Map<number, Record<string, number>>();
  for (const series of await readSeries(pool, { runIds: [runId], keys: relevantKeys })) {
    for (const [i, iteration] of series.iterations.entries()) {
      const ofIteration = values.get(iteration) ?? {};
      ofIteration[series.key] = series.values[i] ?? NaN;
      values.set(iteration, ofIteration);
    }
  }
  const points = [...values]
    .sort(([a], [b]) => a - b)
    .map(([iteration, ofIteration]) => ({ iteration, values: ofIteration }));
  const changes = await readExternalChanges(pool, [runId]);
  return withChanges(
    points,
    changes.map(({ iteration }) => iteration),
  );
}
