import { AsyncLocalStorage } from "node:async_hooks";
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
  const limits = { max: maxConnections, connectionTimeoutMillis: 10_000 };
  const config = { connectionString: url, options, ...limits, onConnect: endWithProcess };
  const pool = new ReaderPool(config);
  // An idle connection that breaks (the server restarts) is replaced at the next query; unheard it would end us.
  pool.on("error", () => {});
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  const close = async () => {
    await prisma.$disconnect();
    await pool.end();
  };
  return { prisma, pool, close };
}

/** While a statement runs, PostgreSQL looks so often if anybody still waits for it. */
const lookEveryMs = 1000;

/** A server that cannot look (before version 14, or on Windows) does without. */
async function endWithProcess(client: { query: (sql: string) => Promise<unknown> }): Promise<void> {
  await client.query(`SET client_connection_check_interval = ${lookEveryMs}`).catch(() => undefined);
}

/** The signal of the reader whose request is answered here: whoever leaves before the answer. */
const reader = new AsyncLocalStorage<AbortSignal>();

/**
 * Ends the statements of `work` when the reader leaves, by closing their connections. For what changes nothing: a change
 * is finished, whoever has stopped waiting for it.
 */
export function whileRead<Result>(signal: AbortSignal, work: () => Result): Result {
  return reader.run(signal, work);
}

/** Does what others wait for too, within the request of somebody who may leave. */
export function forAll<Result>(work: () => Result): Result {
  return reader.exit(work);
}

type OnConnection = Parameters<Pool["connect"]>[0];

class ReaderPool extends Pool {
  readonly #releases = new WeakMap<PoolClient, () => void>();

  constructor(config: ConstructorParameters<typeof Pool>[0]) {
    super(config);
    this.on("release", (_error, client) => this.#releases.get(client)?.());
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: OnConnection): void;
  override connect(callback?: OnConnection): Promise<PoolClient> | void {
    const signal = reader.getStore();
    if (callback === undefined) return super.connect().then((client) => this.#watch(client, signal));
    super.connect((error, client, done) => callback(error, client && this.#watch(client, signal), done));
  }

  #watch(client: PoolClient, signal: AbortSignal | undefined): PoolClient {
    if (signal === undefined) return client;
    // A connection in use that is closed fails its statement here, and PostgreSQL notices within a second.
    const close = () => void this.#end(client);
    if (signal.aborted) close();
    signal.addEventListener("abort", close, { once: true });
    this.#releases.set(client, () => signal.removeEventListener("abort", close));
    return client;
  }

  async #end(client: PoolClient & { end?: () => Promise<void> }): Promise<void> {
    await client.end?.().catch(() => undefined);
  }
}
