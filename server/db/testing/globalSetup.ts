import { createServer } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { escapeIdentifier, Pool } from "pg";
import { migrate } from "#prisma/migrate.ts";
import { makePostgres, type Postgres } from "../embedded/postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of a server: POST creates a test database and returns its URL; DELETE /NAME drops it. */
    testDatabases: string;
  }
}

type Server = { postgres: Postgres; pool: Pool; home: string };

/** Starts one PostgreSQL at the first request, so that other tests never wait. Each gets a copy of one template. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<Server> | undefined;
  let numMade = 0;
  const http = createServer((request, response) => {
    const name = request.method === "DELETE" ? (request.url ?? "").slice(1) : `test_${++numMade}`;
    const act = request.method === "DELETE" ? drop : clone;
    act((starting ??= start()), name).then(
      (url) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  project.provide("testDatabases", `http://127.0.0.1:${port}`);
  return async () => {
    http.close();
    if (starting !== undefined) await stop(await starting);
  };
}

async function start(): Promise<Server> {
  const home = await mkdtemp(join(tmpdir(), "arlarena-test-"));
  const postgres = await makePostgres({ home, isDurable: false });
  const pool = new Pool({ connectionString: postgres.url, max: 1 });
  pool.on("error", () => {});
  await pool.query("CREATE DATABASE template");
  await migrate(databaseUrl(postgres, "template"));
  return { postgres, pool, home };
}

async function clone(starting: Promise<Server>, name: string): Promise<string> {
  const { postgres, pool } = await starting;
  await pool.query(`CREATE DATABASE ${name} TEMPLATE template`);
  return databaseUrl(postgres, name);
}

async function drop(starting: Promise<Server>, name: string): Promise<string> {
  const { pool } = await starting;
  await pool.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`);
  return "";
}

async function stop({ postgres, pool, home }: Server): Promise<void> {
  await pool.end();
  await postgres.close();
  await rm(dirname(postgres.dataFolder), { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
}

function databaseUrl({ url }: Postgres, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}
