import type { Pool, PoolClient } from "pg";

type Work<Result> = (client: PoolClient, abandon: (error: Error) => void) => Promise<Result>;

/** Lends a connection of the pool; one that breaks meanwhile, or that `work` abandons, is not lent again. */
export async function withClient<Result>(pool: Pool, work: Work<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks between two statements reports it here; unheard, it would end the process.
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
