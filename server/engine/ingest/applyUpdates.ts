import type { Pool } from "#server/db/storage/client.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { storeLogUpdates, type AttemptUpdate } from "#server/db/runs/logs.ts";
import type { MetricIds } from "#server/db/runs/pointWrites.ts";
import { advanceDetections } from "./advanceDetections.ts";
import { replayRuns } from "./replayRun.ts";

export type Storage = { pool: Pool; metricIds: MetricIds };

/**
 * Applies the next lines of several logs in one transaction, which stores lines, log offsets and detector states.
 * Returns the attempts whose lines were stored; the lines of the other attempts had already been applied by another
 * process. Unless `hasMore`, also replays runs whose detector must restart or whose hindsight label is due.
 */
export async function applyUpdates(
  { pool, metricIds }: Storage,
  updates: readonly AttemptUpdate[],
  { hasMore = false }: { hasMore?: boolean } = {},
): Promise<ReadonlySet<number>> {
  // Lines with the same metrics share one list of keys, so few lists need a look-up.
  const lists = new Set(updates.flatMap(({ update }) => update.points.map(({ keys }) => keys)));
  const ids = await metricIds(new Set([...lists].flat()));
  const { stored, lost } = await inTransaction(pool, async (client) => {
    const stored = await storeLogUpdates(client, updates, ids);
    return { stored, lost: await advanceDetections(client, stored, { hasMore }) };
  });
  await replayRuns(pool, [...lost]);
  return new Set(stored.map(({ attemptId }) => attemptId));
}
