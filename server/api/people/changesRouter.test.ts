import { afterAll, beforeAll, expect, it } from "vitest";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import type { Caller } from "./caller.ts";
import { knowsChange } from "#server/domain/people/sayChange.ts";
import { appRouter, createCaller } from "../root.ts";
import { makeAnalystHere } from "../testing/analystHere.ts";

let database: TestDatabase;
let notifications: Notifications;
const as = (caller: Caller) => createCaller({ database, notifications, analyst: makeAnalystHere(database), caller });
const browser: Caller = { kind: "session", isSameOrigin: true, person: null };

beforeAll(async () => {
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  await insertSweep(database, "night", ["a0"]);
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

it("has every change with its author, and why one was refused; reading and senseless input leave none", async () => {
  await as(browser).sweep.pause({ id: "night" });
  await as({
    kind: "token",
    tokenHash: "x",
    name: "robot",
    scopes: ["write"],
    expiresAt: null,
    person: null,
  }).sweep.cancel({
    id: "night",
  });
  await expect(as(browser).sweep.pause({ id: "gone" })).rejects.toThrow();
  await expect(as(browser).sweep.pause({ id: 7 } as never)).rejects.toThrow();
  await as(browser).sweep.list();
  const entries = await as(browser).changes.list({});
  expect(entries.map(({ who, action, subject, problem }) => [who, action, subject, problem])).toEqual([
    ["browser", "sweep.pause", "id=gone", expect.stringContaining("gone")],
    ["token robot", "sweep.cancel", "id=night", null],
    ["browser", "sweep.pause", "id=night", null],
  ]);
  expect(entries[1]?.sentence).toEqual([{ text: "Cancelled " }, { text: "night", path: "/sweeps/night" }]);
  expect(entries[0]?.sentence).toEqual([{ text: "Paused gone" }]);
});

it("finds entries by words, and goes on from an older one", async () => {
  const idsOf = async (asked: { words?: string; before?: number }) =>
    (await as(browser).changes.list(asked)).map(({ id }) => id);
  const all = await idsOf({});
  expect(await idsOf({ words: "ROBOT night" })).toEqual([all[1]]);
  expect(await idsOf({ words: "%" })).toEqual([]);
  expect(await idsOf({ before: all[1] ?? 0 })).toEqual([all[2]]);
});

it("has a sentence for every procedure that changes something", () => {
  const procedures = Object.entries<{ _def: { type: string; meta?: { access: string } } }>(
    appRouter._def.procedures as never,
  );
  const changing = procedures.flatMap(
    ([
      path,
      {
        _def: { type, meta },
      },
    ]) => (type === "mutation" && meta?.access !== "view" ? [path] : []),
  );
  expect(changing.length).toBeGreaterThan(40);
  expect(changing.filter((path) => !knowsChange(path))).toEqual([]);
});

it("links to a launched sweep", async () => {
  const plan = { name: "Noon", methods: ["grpo"], environments: [{ id: "sokoban" }], seeds: [0] };
  const { id } = await as(browser).sweep.create(SweepPlan.parse(plan));
  const [launched] = await as(browser).changes.list({ words: "Noon" });
  expect(launched?.sentence).toEqual([{ text: "Launched " }, { text: "Noon", path: `/sweeps/${id}` }]);
});
