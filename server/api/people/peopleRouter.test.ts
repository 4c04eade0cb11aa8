import { makeAnalystHere } from "../testing/analystHere.ts";
import { afterAll, expect, test } from "vitest";
import { createApiToken, readApiToken } from "#server/db/people/apiTokens.ts";
import { makeNotifications } from "#server/db/storage/notifications.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import type { Scope } from "#server/domain/people/access.ts";
import { createCaller } from "../root.ts";

const database = await makeTestDatabase();
const notifications = makeNotifications(database.url);
afterAll(async () => {
  await notifications.close();
  await database.close();
});

const dayMs = 24 * 3600 * 1000;

/** Sends a request with a new token. */
async function withToken(scopes: Scope[], expiresAt?: Date) {
  const text = await createApiToken(database, { name: "maker", scopes, ...(expiresAt && { expiresAt }) });
  const token = await readApiToken(database, text);
  if (!token) throw new Error("the token is not valid");
  return createCaller({
    database,
    notifications,
    analyst: makeAnalystHere(database),
    caller: { kind: "token", ...token },
  }).people;
}

test("a token makes no token that may do more than itself", async () => {
  const people = await withToken(["administer"]);
  for (const scope of ["track", "read", "write"] as const) {
    await expect(people.createToken({ name: "more", scopes: ["administer", scope] })).rejects.toThrow(
      `scopes: the token that creates this one has administer and cannot give ${scope}`,
    );
  }
  const { text } = await people.createToken({ name: "same", scopes: ["administer"] });
  expect(await readApiToken(database, text)).toMatchObject({ scopes: ["administer"] });
});

test("a token makes no token that outlives it: not by its end, and not when it is revoked", async () => {
  const expiresAt = new Date(Date.now() + dayMs);
  const people = await withToken(["administer", "read"], expiresAt);
  await expect(people.createToken({ name: "later", scopes: ["read"], days: 2 })).rejects.toThrow(
    /^days: the new token must end by \d{4}-\d\d-\d\d \d\d:\d\d UTC, when the token that creates it ends$/,
  );
  const { text } = await people.createToken({ name: "made", scopes: ["read"] });
  expect((await readApiToken(database, text))?.expiresAt).toEqual(expiresAt);
  await people.revokeTokens({ name: "maker" });
  expect(await readApiToken(database, text)).toBeUndefined();
});

test("the name of a token is written in one way, with nothing in it that cannot be seen", async () => {
  const people = await withToken(["administer"]);
  await expect(people.createToken({ name: "ro\u200Bbot", scopes: ["administer"] })).rejects.toThrow(/invisible/);
  const { text } = await people.createToken({ name: "ｒobot", scopes: ["administer"] });
  expect(await readApiToken(database, text)).toMatchObject({ name: "robot" });
});
