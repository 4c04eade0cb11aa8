import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
  await insertSweep(database, "table-3-sokoban", ["t0", "t1", "t2"]);
  await insertSweep(database, "shop (first look)", ["u0"]);
  await database.prisma.cell.updateMany({ where: { sweepId: "shop (first look)" }, data: { method: "GSPO" } });
  await database.prisma.run.update({ where: { id: "t2" }, data: { status: "finished", tags: ["paper"] } });
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

const runsOf = async (text: string) => (await caller.palette.search({ text })).runs.map(({ id }) => id);
const sweepsOf = async (text: string) => (await caller.palette.search({ text })).sweeps.map(({ id }) => id);

describe("the palette's search", () => {
  it("shows the newest sweeps and no runs before anything is typed", async () => {
    expect(await caller.palette.search({ text: " " })).toMatchObject({
      total: 0,
      runs: [],
      sweeps: [
        { id: "shop (first look)", isOpen: true, origin: "plan" },
        { id: "table-3-sokoban", isOpen: true },
      ],
    });
  });

  it("finds words by their letters in order, each of them", async () => {
    expect(await sweepsOf("tbl")).toEqual(["table-3-sokoban"]);
    expect(await runsOf("skbn grpo")).toHaveLength(3);
    expect(await runsOf("shp gspo")).toEqual(["u0"]);
    expect(await runsOf("sokoban gspx")).toEqual([]);
  });

  it("puts the best match first: a whole word before a beginning", async () => {
    expect((await runsOf("grpo 2"))[0]).toBe("t2");
    expect(await runsOf("paper")).toEqual(["t2"]);
  });

  it("takes what patterns are made of for itself", async () => {
    expect(await sweepsOf("(first")).toEqual(["shop (first look)"]);
    for (const text of ["[", "a{2}", "\\m", "*", "^$", "\u0301", "😀", "%_"]) {
      expect(await sweepsOf(text)).toEqual([]);
    }
  });
});
