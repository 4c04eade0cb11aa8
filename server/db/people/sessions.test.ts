import { afterAll, expect, test } from "vitest";
import { createSession, endSession, useSession } from "./sessions.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

const days = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 24 * 3600 * 1000);

test("a session that was ended is dead, and the other one goes on", async () => {
  const [left, stays] = [await createSession(database, null, days(0)), await createSession(database, null, days(0))];
  await endSession(database, left);
  expect(await useSession(database, left, days(0))).toBeUndefined();
  expect(await useSession(database, stays, days(0))).toEqual({ person: null });
});

test("a session ends after a week without use, and after thirty days of use", async () => {
  const [idle, busy] = [await createSession(database, null, days(0)), await createSession(database, null, days(0))];
  for (let day = 6; day <= 30; day += 6)
    expect([day, await useSession(database, busy, days(day))]).toEqual([day, { person: null }]);
  expect(await useSession(database, idle, days(8))).toBeUndefined();
  expect(await useSession(database, busy, days(30.1))).toBeUndefined();
});

test("sessions that have expired are deleted when somebody signs in", async () => {
  await createSession(database, null, days(100));
  const kept = await createSession(database, null, days(105));
  await createSession(database, null, days(110));
  const { rows } = await database.pool.query<{ id: string }>("SELECT id FROM session");
  expect(rows.map(({ id }) => id)).toContain(kept);
  expect(rows).toHaveLength(2);
});
