import { afterAll, beforeAll, expect, it } from "vitest";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { createCaller } from "../root.ts";
import { makeAnalystHere } from "../testing/analystHere.ts";

let database: TestDatabase;
let notifications: Notifications;
let caller: ReturnType<typeof createCaller>;

beforeAll(async () => {
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  caller = createCaller({
    database,
    notifications,
    analyst: makeAnalystHere(database),
    caller: { kind: "session", isSameOrigin: true, person: null },
  });
  await insertSweep(database, "a", ["a0", "a1"]);
  await insertSweep(database, "b", ["b0"]);
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

it("keeps what is said of a run and of a sweep, part by part", async () => {
  for (const one of [{ kind: "run", id: "a1" } as const, { kind: "sweep", id: "a" } as const]) {
    await caller.marks.write({ ...one, addTags: ["paper", "old"], note: "so **so**" });
    await caller.marks.write({ ...one, removeTags: ["old"], isFavourite: true });
    expect(await caller.marks.of(one)).toEqual({
      tags: ["paper"],
      note: "so **so**",
      noteHtml: "<p>so <strong>so</strong></p>\n",
      isFavourite: true,
      isArchived: false,
    });
  }
  expect(await caller.marks.of({ kind: "run", id: "a0" })).toMatchObject({ tags: [], note: "", isFavourite: false });
});

it("puts favourites first in the palette, and finds runs by the star in the table", async () => {
  expect((await caller.palette.search({ text: "" })).sweeps.map(({ id }) => id)).toEqual(["a", "b"]);
  const { rows } = await caller.runTable.rows({ filter: "favourite", columns: [], order: [], offset: 0, limit: 9 });
  expect(rows.map(({ id }) => id)).toEqual(["a1"]);
});

it("says what there is not, and which tag is none", async () => {
  await expect(caller.marks.write({ kind: "sweep", id: "c", note: "" })).rejects.toThrow("there is no sweep c");
  await expect(caller.marks.of({ kind: "run", id: "c" })).rejects.toThrow("there is no run c");
  await expect(caller.marks.write({ kind: "run", id: "a0", addTags: ["a,b"] })).rejects.toThrow(
    /must not contain commas/,
  );
});
