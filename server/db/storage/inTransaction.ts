import { DatabaseError, type Pool, type PoolClient } from "pg";

/** Runs `work` in a transaction, which is rolled back if `work` throws or returns `false`. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return await withClient(pool, async (client, abandon) => {
    try {
      await client.query("BEGIN");
      const result = await work(client);
      await client.query(result === false ? "ROLLBACK" : "COMMIT");
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch(abandon);
      throw error;
    }
  });
}

/** True if PostgreSQL rejected a value (out of range, invalid text, too long), not if it is unavailable. */
export function isDataError(error: unknown): error is Error {
  return error instanceof DatabaseError && /^(22|54)/.test(error.code ?? "");
}

type Work<Result> = (client: PoolClient, abandon: (error: Error) => void) => Promise<Result>;

/** Runs `work` with a connection of the pool. A connection that breaks, or that `work` abandons, is discarded. */
export async function withClient<Result>(pool: Pool, work: Work<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // Without this listener, a connection that breaks between two statements would end the process.
  const abandon = (error: Error) => {
    broken = error;
  };
  client.on("error", abandon);
  try {
    return await work(client, abandon);
  } finally {
    if (broken === undefined) client.off("error", abandon);
    client.release(broken);
  }
}
