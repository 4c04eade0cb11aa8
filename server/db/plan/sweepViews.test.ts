import { afterAll, beforeAll, expect, it } from "vitest";
import { insertSweep } from "../testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "../testing/testDatabase.ts";
import { deleteSweepView, readSweepViews, saveSweepView } from "./sweepViews.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await makeTestDatabase();
  await insertSweep(database, "s", ["r0"]);
  await insertSweep(database, "t", ["r1"]);
});
afterAll(() => database.close());

it("keeps views of a sweep by name, replaces and forgets them, and takes them along when the sweep goes", async () => {
  await saveSweepView(database, "s", { name: "Mine", query: "x=tokens" });
  await saveSweepView(database, "s", { name: "Mine", query: "x=time" });
  await saveSweepView(database, "s", { name: "Another", query: "" });
  await saveSweepView(database, "t", { name: "Mine", query: "size=large" });
  expect(await readSweepViews(database, "s")).toEqual([
    { name: "Another", query: "" },
    { name: "Mine", query: "x=time" },
  ]);
  await deleteSweepView(database, "s", "Another");
  expect(await readSweepViews(database, "s")).toHaveLength(1);
  await database.prisma.sweep.delete({ where: { id: "s" } });
  expect(await readSweepViews(database, "s")).toEqual([]);
  expect(await readSweepViews(database, "t")).toHaveLength(1);
  await expect(saveSweepView(database, "s", { name: "Mine", query: "" })).rejects.toThrow("there is no sweep s");
});
