import type { Pool, PoolClient } from "pg";
import { withClient } from "./withClient.ts";

/** Runs `work` in a transaction; rolls back if it throws or returns `false`. */
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
