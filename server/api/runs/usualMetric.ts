import { chooseMetric, chooseSharedMetric } from "#packages/statistics";
import type { Database } from "#server/db/storage/client.ts";
import { countKeys } from "#server/db/runs/points.ts";
import { areImported } from "#server/db/runs/runs.ts";

/**
 * Chooses the metric that sums up these runs on pages and in tables, reports and commands. Runs of other trainers may
 * log different metrics, so the one that the largest number has is chosen.
 * @param metrics metrics that the runs logged or that their plans name
 */
export async function chooseUsual(
  { pool }: Pick<Database, "pool">,
  runIds: readonly string[],
  metrics: readonly string[],
): Promise<string> {
  if (metrics.length === 0 || !(await areImported(pool, runIds))) return chooseMetric(metrics);
  return chooseSharedMetric(await countKeys(pool, runIds));
}
