import type { Pool, PoolClient } from "pg";

type Work<Result> = (client: PoolClient, abandon: (error: Error) => void) => Promise<Result>;

/** Lends a connection of the pool. One that breaks or is abandoned by `work` is discarded. */
export async function withClient<Result>(pool: Pool, work: Work<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks between two statements reports it here; without a listener it would end the process.
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
