import { afterAll, expect, it } from "vitest";
import { insertAttempt, insertSweep } from "../testing/insertRun.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";
import { readCollapseEvents } from "./collapseEvents.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

it("reads the events with the latest iterations, in ascending order", async () => {
  await insertSweep(database, "sweep", ["one", "two"]);
  const evidence = { from: 0, to: 1, groups: {}, channels: {}, performance: {}, remarks: [] };
  for (const [offset, runId] of ["one", "two"].entries()) {
    const attemptId = await insertAttempt(database, runId, 1);
    for (const [i, severity] of ["warning", "unstable", "info", "warning"].entries()) {
      const event = { runId, attemptId, kind: "spike", severity, detectorVersion: "rules", message: "", evidence };
      await database.prisma.collapseEvent.create({ data: { ...event, iteration: 10 * i + offset } });
    }
  }
  const iterationsOf = async (scope: Parameters<typeof readCollapseEvents>[1]) =>
    (await readCollapseEvents(database.pool, scope, "rules")).map(({ iteration }) => iteration);
  expect(await iterationsOf({ sweepIds: ["sweep"] })).toEqual([0, 1, 10, 11, 30, 31]);
  expect(await iterationsOf({ sweepIds: ["sweep"], latest: 3 })).toEqual([11, 30, 31]);
  expect(await iterationsOf({ runId: "one", latest: 2 })).toEqual([20, 30]);
});
