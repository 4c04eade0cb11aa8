import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePostgres, type Postgres } from "./postgres.ts";
import { isAlive } from "./postmaster.ts";

let home = "";
let postgres: Postgres;
const start = () => makePostgres({ home, isDurable: true });
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "arlarena-postgres-"));
  postgres = await start();
  await query("CREATE TABLE kept (x int); INSERT INTO kept VALUES (7)");
});
afterAll(async () => {
  await postgres.close();
  await rm(dirname(postgres.dataFolder), { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
});

async function query(sql: string, url = postgres.url): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

test("comes back after kill -9 with its data, at the same address", async () => {
  const before = postgres;
  process.kill(before.pid, "SIGKILL");
  await before.exited;
  postgres = await start();
  expect(postgres.url).toBe(before.url);
  expect(await query("SELECT x FROM kept")).toEqual([{ x: 7 }]);
});

test("replaces the server that a dead supervisor left running", async () => {
  const before = postgres;
  postgres = await start();
  expect(isAlive(before.pid)).toBe(false);
  expect(await query("SELECT x FROM kept")).toEqual([{ x: 7 }]);
});

test("lets nobody in without the password, which only its owner can read", async () => {
  const url = Object.assign(new URL(postgres.url), { password: "guess" }).href;
  await expect(query("SELECT 1", url)).rejects.toThrow("password authentication failed");
  expect(await readFile(join(home, "postgres.log"), "utf8")).not.toContain(new URL(postgres.url).password);
});
