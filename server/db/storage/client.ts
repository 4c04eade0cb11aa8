import { AsyncLocalStorage } from "node:async_hooks";
import { PrismaPg } from "@prisma/adapter-pg";
import { Pool, type PoolClient } from "pg";
import { PrismaClient } from "../generated/client.ts";

export type { Pool, PoolClient as Client };

/** Database access of one process, through shared connections: Prisma for single rows, the pool for SQL statements. */
export type Database = { prisma: PrismaClient; pool: Pool; close: () => Promise<void> };

/** Limit in ms of waiting for a connection: a machine whose cores all train may take more than ten seconds. */
const connectWithinMs = 60_000;

export type Pooled = Pick<Database, "pool">;

export function makeDatabase(url: string, { maxConnections = 10 } = {}): Database {
  // Prisma reads times as UTC, whatever the server's time zone.
  const options = "-c timezone=UTC";
  const limits = { max: maxConnections, connectionTimeoutMillis: connectWithinMs };
  const config = { connectionString: url, options, ...limits, onConnect: endWithProcess };
  const pool = new ReaderPool(config);
  // A broken idle connection is replaced at the next query. Without this listener, its error would end the process.
  pool.on("error", () => {});
  // Prisma's default limits (2 s and 5 s) are too short on a machine whose cores all train.
  const transactionOptions = { maxWait: 30_000, timeout: 60_000 };
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions });
  const close = async () => {
    await prisma.$disconnect();
    await pool.end();
  };
  return { prisma, pool, close };
}

/** Interval in ms at which PostgreSQL checks, during a statement, that its client is still connected. */
const lookEveryMs = 1000;

/** Makes PostgreSQL cancel running statements if this client process dies. It needs version 14, not on Windows. */
async function endWithProcess(client: { query: (sql: string) => Promise<unknown> }): Promise<void> {
  await client.query(`SET client_connection_check_interval = ${lookEveryMs}`).catch(() => undefined);
}

/** Abort signal of the HTTP request in progress, which fires if the client disconnects early. */
const reader = new AsyncLocalStorage<AbortSignal>();

/** Aborts the SQL statements of `work` when the client disconnects. For reads only: a change must be completed. */
export function whileRead<Result>(signal: AbortSignal, work: () => Result): Result {
  return reader.run(signal, work);
}

/** Runs `work` independently of this request's abort signal, because other requests may wait for its result too. */
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
    // Closing a connection in use makes its statement fail here; PostgreSQL notices this within a second.
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
