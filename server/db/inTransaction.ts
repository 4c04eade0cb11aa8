import type { Pool, PoolClient } from "pg";

/** Runs `work` between BEGIN and COMMIT; when it throws or answers `false`, nothing of it remains. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query(result === false ? "ROLLBACK" : "COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch((cause: unknown) => {
      broken = new Error("the connection cannot be used any more", { cause });
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
