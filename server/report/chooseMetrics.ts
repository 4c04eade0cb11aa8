import type { Database } from "#server/db/client.ts";
import { readKeys } from "#server/db/points.ts";
import { readRunIds } from "#server/db/runs.ts";
import { chooseMetric } from "#server/domain/series/openingMetric.ts";

/** Metrics of training stability, added to those that the sweep page opens with. */
const health = ["policy/klReference", "update/gradientNorm", "policy/entropy"];

/** Logged metrics whose curves a first report of a sweep shows. */
export async function chooseReportMetrics(database: Database, sweepId: string): Promise<string[]> {
  const cells = await readRunIds(database, { sweepIds: [sweepId] });
  const known = await readKeys(
    database.pool,
    cells.flatMap(({ runIds }) => runIds),
  );
  return [chooseMetric(known), ...health.filter((key) => known.includes(key))];
}
