import { inject } from "vitest";
import { type Database, makeDatabase } from "../storage/client.ts";

/** Database with the current schema for one test file, closed in `afterAll`. */
export type TestDatabase = Database & { url: string };

export async function makeTestDatabase(): Promise<TestDatabase> {
  const server = inject("testDatabases");
  const response = await fetch(server, { method: "POST" });
  const url = await response.text();
  if (!response.ok) throw new Error(`no test database: ${url}`);
  const database = makeDatabase(url);
  const close = async () => {
    await database.close();
    await fetch(`${server}${new URL(url).pathname}`, { method: "DELETE" });
  };
  return { ...database, url, close };
}
