import type { Database } from "#server/db/storage/client.ts";
import { readKeys } from "#server/db/runs/points.ts";
import { readRunIds } from "#server/db/runs/runs.ts";
import { chooseMetric } from "#packages/statistics";

const health = ["policy/klReference", "update/gradientNorm", "policy/entropy"];

export async function chooseReportMetrics(database: Database, sweepId: string): Promise<string[]> {
  const cells = await readRunIds(database, { sweepIds: [sweepId] });
  const known = await readKeys(
    database.pool,
    cells.flatMap(({ runIds }) => runIds),
  );
  return [chooseMetric(known), ...health.filter((key) => known.includes(key))];
}
