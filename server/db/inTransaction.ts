import type { Pool, PoolClient } from "pg";

/** Runs `work` between BEGIN and COMMIT; when it throws or answers `false`, nothing of it remains. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks between two statements says so here; unheard, it would end the process.
  const note = (error: Error) => {
    broken = error;
  };
  client.on("error", note);
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query(result === false ? "ROLLBACK" : "COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(note);
    throw error;
  } finally {
    if (broken === undefined) client.off("error", note);
    client.release(broken);
  }
}
