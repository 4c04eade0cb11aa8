import { once } from "node:events";
import { type Duplex, Readable } from "node:stream";
import { Client, escapeIdentifier, type Submittable } from "pg";
import { z } from "zod";
import { readColumn, readRows } from "./readRows.ts";

/** Table as text of PostgreSQL's COPY, which every version of PostgreSQL reads. */
export type Table = { name: string; columns: readonly string[] };

/** One consistent view of the whole database, whatever is written meanwhile. */
export type Snapshot = {
  tables: readonly Table[];
  /** Names of the applied migrations. */
  migrations: readonly string[];
  /** Attempts as RUN/NUMBER: the folders below `runs` that existed for the database. */
  attempts: ReadonlySet<string>;
  copyOut: (table: Table) => { data: Readable; countRows: () => number };
  readSequences: () => Promise<Readonly<Record<string, number>>>;
  close: () => Promise<void>;
};

// The settings decide how COPY writes and reads times and numbers.
const settings =
  "-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c extra_float_digits=1 -c bytea_output=hex -c statement_timeout=0";

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, options: settings });
  // A broken connection is reported by the statement in progress or the next one.
  client.on("error", () => {});
  await client.connect();
  return client;
}

export async function openSnapshot(url: string): Promise<Snapshot> {
  const client = await connect(url);
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const tables = await listTables(client);
    const migrations = await readColumn(client, z.string(), {
      sql: "SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY 1",
    });
    const attempts = await readColumn(client, z.string(), { sql: "SELECT run_id || '/' || number FROM attempt" });
    return {
      tables,
      migrations,
      attempts: new Set(attempts),
      copyOut: (table) => copyOut(client, table),
      readSequences: () => readSequences(client),
      close: async () => await client.end().catch(() => undefined),
    };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

async function listTables(client: Client): Promise<Table[]> {
  return await readRows(client, z.object({ name: z.string(), columns: z.array(z.string()) }), {
    sql: `SELECT table_name::text AS name, array_agg(column_name::text ORDER BY ordinal_position) AS columns
     FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name <> '_prisma_migrations'
     GROUP BY table_name ORDER BY table_name`,
  });
}

const Sequence = z.object({ name: z.string(), value: z.number() });

async function readSequences(client: Client): Promise<Record<string, number>> {
  const rows = await readRows(client, Sequence, {
    sql: "SELECT sequencename::text AS name, last_value::float8 AS value FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL",
  });
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

const nameOf = ({ name, columns }: Table) => `${escapeIdentifier(name)} (${columns.map(escapeIdentifier).join(", ")})`;

function copyOut(client: Client, table: Table): { data: Readable; countRows: () => number } {
  let numRows = 0;
  let socket: Duplex | undefined;
  const data = new Readable({ read: () => void socket?.resume(), highWaterMark: 1 << 20 });
  const sql = `COPY ${nameOf(table)} TO STDOUT`;
  const copy = makeCopy(sql, {
    // The pg library reuses the buffer of a chunk, so a chunk is copied.
    handleCopyData: ({ chunk }: { chunk: Buffer }, connection: CopyConnection) => {
      socket = connection.stream;
      if (!data.push(Buffer.from(chunk))) socket.pause();
    },
    handleCommandComplete: ({ text }: { text: string }) => void (numRows = countOf(text)),
    handleReadyForQuery: () => data.push(null),
    handleError: (error: Error) => data.destroy(error),
  });
  client.query(copy);
  return { data, countRows: () => numRows };
}

/** Part of the pg library's connection that COPY uses; its types do not declare it. */
type CopyConnection = {
  stream: Duplex;
  query: (sql: string) => void;
  sendCopyFromChunk: (chunk: Buffer) => void;
  endCopyFrom: () => void;
};

function makeCopy<Handlers extends object>(sql: string, handlers: Handlers): Submittable & Handlers {
  const ignore = () => {};
  const rest = {
    handleRowDescription: ignore,
    handleDataRow: ignore,
    handleEmptyQuery: ignore,
    handlePortalSuspended: ignore,
  };
  return Object.assign(
    { submit: (connection: Pick<CopyConnection, "query">) => connection.query(sql), ...rest },
    handlers,
  );
}

/** Parses "COPY 12". */
function countOf(text: string): number {
  return Number(text.split(" ")[1] ?? 0);
}

/** Empty, migrated database that is being filled, in one transaction. */
export type Load = {
  copyIn: (table: Table) => CopyIn;
  countRows: (table: string) => Promise<number>;
  commit: (sequences: Readonly<Record<string, number>>) => Promise<void>;
  /** Closes the connection; without `commit`, nothing was loaded. */
  close: () => Promise<void>;
};

export type CopyIn = { write: (chunk: Buffer) => Promise<void>; end: () => Promise<void> };

/** Begins to fill a database. Foreign keys are checked at the end, because tables come in any order. */
export async function openLoad(url: string): Promise<Load> {
  const client = await connect(url);
  const close = async () => await client.end().catch(() => undefined);
  try {
    await client.query("BEGIN");
    const keys = await readRows(client, z.object({ table: z.string(), name: z.string(), definition: z.string() }), {
      sql: `SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
       FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`,
    });
    for (const { table, name } of keys) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
    const commit = async (sequences: Readonly<Record<string, number>>) => {
      for (const [name, value] of Object.entries(sequences))
        await client.query("SELECT setval(to_regclass($1), $2) WHERE to_regclass($1) IS NOT NULL", [
          escapeIdentifier(name),
          value,
        ]);
      for (const { table, name, definition } of keys)
        await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
      await client.query("COMMIT");
    };
    const countRows = async (table: string) => {
      const [count] = await readColumn(client, z.number(), {
        sql: `SELECT count(*)::float8 FROM ${escapeIdentifier(table)}`,
      });
      return count ?? 0;
    };
    return { copyIn: (table) => copyIn(client, table), countRows, commit, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function copyIn(client: Client, table: Table): CopyIn {
  let failure: Error | undefined;
  const { promise: opened, resolve: open } = makePromise<CopyConnection>();
  const { promise: ended, resolve: end, reject: fail } = makePromise<undefined>();
  const handlers = {
    handleCopyInResponse: open,
    handleCommandComplete: () => {},
    handleReadyForQuery: () => end(undefined),
    handleError: (error: Error) => {
      failure = new Error(`table ${table.name}: ${error.message}`, { cause: error });
      fail(failure);
    },
  };
  client.query(makeCopy(`COPY ${nameOf(table)} FROM STDIN`, handlers));
  // An error may come while nobody waits; `write` and `end` report it.
  ended.catch(() => {});
  const connected = async (): Promise<CopyConnection> => {
    const connection = await Promise.race([opened, ended]);
    if (failure !== undefined || connection === undefined)
      throw failure ?? new Error(`table ${table.name}: COPY ended`);
    return connection;
  };
  return {
    write: async (chunk) => {
      const connection = await connected();
      connection.sendCopyFromChunk(chunk);
      if (connection.stream.writableNeedDrain) await Promise.race([once(connection.stream, "drain"), ended]);
    },
    end: async () => {
      (await connected()).endCopyFrom();
      await ended;
    },
  };
}

function makePromise<Value>() {
  let resolve: (value: Value) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<Value>((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
}

/** Returns a table of the database; undefined if it is empty, as a database to restore into must be. */
export async function findTable(url: string): Promise<string | undefined> {
  const client = await connect(url);
  try {
    const [name] = await readColumn(client, z.string(), {
      sql: "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() LIMIT 1",
    });
    return name;
  } finally {
    await client.end().catch(() => undefined);
  }
}
