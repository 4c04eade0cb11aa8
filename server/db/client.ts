import { PrismaPg } from "@prisma/adapter-pg";
import { Pool, type PoolClient } from "pg";
import { PrismaClient } from "./generated/client.ts";

export type { Pool, PoolClient as Client };

/**
 * The connections of one process: Prisma for nouns, the pool for bulk SQL and LISTEN; both draw on the same
 * connections. Nothing else constructs a client.
 */
export type Database = { prisma: PrismaClient; pool: Pool; close: () => Promise<void> };

export function makeDatabase(url: string, { maxConnections = 10 } = {}): Database {
  // Prisma reads times as UTC whatever the server's own zone is.
  const options = "-c timezone=UTC";
  const pool = new Pool({ connectionString: url, options, max: maxConnections, connectionTimeoutMillis: 10_000 });
  // An idle connection that breaks (the server restarts) is replaced at the next query; unheard it would end us.
  pool.on("error", () => {});
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  const close = async () => {
    await prisma.$disconnect();
    await pool.end();
  };
  return { prisma, pool, close };
}
