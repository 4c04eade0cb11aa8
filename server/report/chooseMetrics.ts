import type { Database } from "#server/db/client.ts";
import { readKeys } from "#server/db/points.ts";
import { readRunIds } from "#server/db/runs.ts";
import { chooseMetric } from "#server/domain/series/openingMetric.ts";

/** Beside what the sweep opens on: what tells whether training stayed healthy. */
const health = ["policy/klReference", "update/gradientNorm", "policy/entropy"];

/** The metrics whose curves a first report of a sweep shows, of those that were logged. */
export async function chooseReportMetrics(database: Database, sweepId: string): Promise<string[]> {
  const cells = await readRunIds(database, { sweepIds: [sweepId] });
  const known = await readKeys(
    database.pool,
    cells.flatMap(({ runIds }) => runIds),
  );
  return [chooseMetric(known), ...health.filter((key) => known.includes(key))];
}
