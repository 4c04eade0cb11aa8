import { AppError } from "#packages/base";
import type { Database } from "../storage/client.ts";
import { withClient } from "../storage/inTransaction.ts";

/** Key of the lock for study imports, unique among the advisory locks of the database. */
const lockKey = 4_127_003;

/**
 * Runs `work` under a lock, so that only one study is imported at a time. Throws `conflict` if another process has
 * the lock; a killed process releases it.
 */
export async function withStudyLock<T>({ pool }: Pick<Database, "pool">, work: () => Promise<T>): Promise<T> {
  return await withClient(pool, async (client) => {
    const { rows } = await client.query<{ taken: boolean }>("SELECT pg_try_advisory_lock($1) AS taken", [lockKey]);
    if (rows[0]?.taken !== true) {
      throw new AppError("conflict", "another recorded study is being imported: try again when it is complete");
    }
    try {
      return await work();
    } finally {
      await client.query("SELECT pg_advisory_unlock($1)", [lockKey]);
    }
  });
}
