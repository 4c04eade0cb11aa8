import { afterAll, expect, test } from "vitest";
import { createSignInToken, redeemSignInToken } from "./signInTokens.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

test("a token signs in once, also when two ask at the same time", async () => {
  const token = await createSignInToken(database);
  const now = new Date();
  const outcomes = await Promise.all([1, 2, 3].map(() => redeemSignInToken(database, token, now)));
  expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(["ok", "used", "used"]);
});

test("a token is good for a day, and an unknown one for nothing", async () => {
  const token = await createSignInToken(database);
  expect(await redeemSignInToken(database, token, new Date(Date.now() + 25 * 3600 * 1000))).toEqual({
    kind: "expired",
  });
  expect(await redeemSignInToken(database, "guess", new Date())).toEqual({ kind: "unknown" });
});
