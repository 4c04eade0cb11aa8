import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { forAll, makeDatabase, whileRead } from "./client.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";
import { withClient } from "./inTransaction.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());
const { pool, prisma } = database;

async function countSleeping(): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'",
  );
  return rows[0]?.n ?? NaN;
}

async function waitFor(wanted: number): Promise<void> {
  await expect.poll(countSleeping, { interval: 50 }).toBe(wanted);
}

describe("a statement whose reader leaves", () => {
  const ways: [string, () => Promise<unknown>][] = [
    ["the pool", () => pool.query("SELECT pg_sleep(600)")],
    ["a client of it", () => withClient(pool, (client) => client.query("SELECT pg_sleep(600)"))],
    ["Prisma", async () => await prisma.$queryRaw`SELECT 1 FROM pg_sleep(600)`],
  ];

  it.each(ways)("ends, asked by %s, and the next one is answered", async (_way, ask) => {
    const left = new AbortController();
    const answer = whileRead(left.signal, ask);
    answer.catch(() => undefined);
    await waitFor(1);
    left.abort();
    await expect(answer).rejects.toThrow();
    await waitFor(0);
    for (let i = 0; i < 20; i++) await pool.query("SELECT 1");
  });

  it("goes on where others wait for it too, and where another request has the connection next", async () => {
    const left = new AbortController();
    const shared = whileRead(left.signal, () => forAll(() => pool.query("SELECT pg_sleep(0.3)")));
    await whileRead(left.signal, () => pool.query("SELECT 1"));
    const next = pool.query("SELECT pg_sleep(0.3)");
    left.abort();
    await expect(Promise.all([shared, next])).resolves.toHaveLength(2);
  });

  it("waits in the queue of connections with its own signal", async () => {
    const narrow = makeDatabase(database.url, { maxConnections: 1 });
    const left = new AbortController();
    const first = narrow.pool.query("SELECT pg_sleep(0.3)");
    const second = whileRead(left.signal, () => narrow.pool.query("SELECT pg_sleep(600)"));
    second.catch(() => undefined);
    await first;
    await waitFor(1);
    left.abort();
    await expect(second).rejects.toThrow();
    await expect(narrow.pool.query("SELECT 1")).resolves.toBeDefined();
    await narrow.close();
  });
});

it("a statement ends soon after its process was killed", async () => {
  const program = `import { makeDatabase } from ${JSON.stringify(fileURLToPath(new URL("./client.ts", import.meta.url)))};
    await makeDatabase(${JSON.stringify(database.url)}).pool.query("SELECT pg_sleep(600)");`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program]);
  await expect.poll(countSleeping).toBe(1);
  child.kill("SIGKILL");
  await once(child, "exit");
  await waitFor(0);
});
