import { afterAll, expect, test } from "vitest";
import { makeTestDatabase } from "./testDatabase.ts";

const one = await makeTestDatabase();
const other = await makeTestDatabase();
afterAll(async () => void (await Promise.all([one.close(), other.close()])));

test("has the tables of the migrations", async () => {
  await one.prisma.signInToken.create({ data: { tokenHash: "abc" } });
  const { rows } = await one.pool.query("SELECT token_hash FROM sign_in_token");
  expect(rows).toEqual([{ token_hash: "abc" }]);
});

test("shares nothing with another test's database", async () => {
  expect(await other.prisma.signInToken.count()).toBe(0);
});

test("is durable nowhere and says so", async () => {
  const { rows } = await one.pool.query("SHOW fsync");
  expect(rows).toEqual([{ fsync: "off" }]);
});
