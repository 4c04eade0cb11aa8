import { afterAll, expect, it } from "vitest";
import { addSeeds } from "./addSeeds.ts";
import { insertSweep } from "../testing/insertRun.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());
const { prisma } = database;
const seedsOf = async (sweepId: string) => {
  const runs = await prisma.run.findMany({ where: { sweepId }, select: { cell: true, seed: true, status: true } });
  return runs.map(({ cell, seed }) => `${cell.index}.${seed}`).sort();
};

it("fills the holes of a grid, widens it, and says in each run's history who wanted it", async () => {
  // Each cell has one run: the first cell with seed 0, the second with seed 1.
  await insertSweep(database, "grid", ["grid-a", "grid-b"]);
  expect(await addSeeds(database, "grid", 0), "holes").toBe(2);
  expect(await seedsOf("grid")).toEqual(["0.0", "0.1", "1.0", "1.1"]);
  expect(await addSeeds(database, "grid", 1), "a seed more for both").toBe(2);
  expect(await seedsOf("grid")).toEqual(["0.0", "0.1", "0.2", "1.0", "1.1", "1.2"]);
  expect(await prisma.statusEvent.findMany({ where: { runId: "grid-c1-s2" } })).toMatchObject([
    { source: "user", status: "pending", text: "seed 2 added" },
  ]);
  await expect(addSeeds(database, "grid", 0)).rejects.toThrow(
    "no run is missing: every cell already has a run for every seed",
  );
});

it("opens no cancelled sweep", async () => {
  await insertSweep(database, "cancelled", ["x"]);
  await prisma.sweep.update({ where: { id: "cancelled" }, data: { intent: "cancel" } });
  await expect(addSeeds(database, "cancelled", 1)).rejects.toThrow("was cancelled");
});
