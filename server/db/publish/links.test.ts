import { afterAll, expect, test } from "vitest";
import { createShareLink, findShareLink, listShareLinks, revokeShareLink, useShareLink } from "./links.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

const now = new Date();
const inDays = (n: number) => new Date(now.getTime() + n * 24 * 3600 * 1000);
const shared = { kind: "sweep", sweepId: "night" } as const;
const create = () => createShareLink(database, { shared, createdBy: "Ada", expiresAt: inDays(7) });

test("a link shows its subject until its end, and says when it was last used", async () => {
  const { id, text } = await create();
  expect(await findShareLink(database, text, now)).toEqual({ id, expiresAt: inDays(7) });
  expect(await listShareLinks(database, now)).toMatchObject([{ id, shows: "sweep night", lastUsedAt: null }]);
  expect(await useShareLink(database, id, inDays(1))).toEqual(shared);
  expect(await listShareLinks(database, now)).toMatchObject([{ id, createdBy: "Ada", lastUsedAt: inDays(1) }]);
  expect(await useShareLink(database, id, inDays(7))).toBeUndefined();
  expect(await findShareLink(database, text, inDays(7))).toBeUndefined();
  expect(await listShareLinks(database, inDays(7))).toEqual([]);
  const { rows } = await database.pool.query<{ row: string }>("SELECT l::text AS row FROM share_link l");
  expect(rows.some(({ row }) => row.includes(text))).toBe(false);
});

test("a link that was ended shows nothing more, and no other text opens one", async () => {
  const { id, text } = await create();
  await revokeShareLink(database, id, now);
  expect(await findShareLink(database, text, now)).toBeUndefined();
  expect(await useShareLink(database, id, now)).toBeUndefined();
  await expect(revokeShareLink(database, id, now)).rejects.toMatchObject({ code: "not_found" });
  expect(await findShareLink(database, `${text}x`, now)).toBeUndefined();
  expect(await useShareLink(database, 999_999, now)).toBeUndefined();
});
