import type { Database } from "#server/db/storage/client.ts";
import { readKeys } from "#server/db/runs/points.ts";
import { readRunIds } from "#server/db/runs/runs.ts";
import { chooseMetric } from "#packages/statistics";

/** Metrics of training stability that a sweep's first report shows besides the sweep's main metrics. */
const health = ["policy/klReference", "update/gradientNorm", "policy/entropy"];

/** Returns the logged metrics whose curves are shown in the first report of a sweep. */
export async function chooseReportMetrics(database: Database, sweepId: string): Promise<string[]> {
  const cells = await readRunIds(database, { sweepIds: [sweepId] });
  const known = await readKeys(
    database.pool,
    cells.flatMap(({ runIds }) => runIds),
  );
  return [chooseMetric(known), ...health.filter((key) => known.includes(key))];
}
