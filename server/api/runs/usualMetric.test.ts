import { afterAll, beforeAll, expect, it } from "vitest";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { appendPoints, makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { usualSampling } from "#server/domain/trainers/import/foreignRun.ts";
import { readRunStudy } from "../analysis/runStudy.ts";
import { readBuiltTable } from "../publish/builtTables.ts";
import { chooseReportMetrics } from "../publish/reports/chooseMetrics.ts";
import { createCaller } from "../root.ts";
import { makeAnalystHere } from "../testing/analystHere.ts";
import { readHeadline } from "./headline.ts";

let database: TestDatabase;
let notifications: Notifications;
const sweepIds = ["s"];

/** Three runs of another trainer log a reward, and one of them a success rate as well. */
beforeAll(async () => {
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  await insertSweep(database, "s", ["a", "b", "c"]);
  const environment = { id: "Kitchen" };
  const spec = { kind: "imported", environment, method: "GRPO", sampling: usualSampling, budget: { iterations: 10 } };
  await database.prisma.cell.updateMany({ data: { spec } });
  for (const runId of ["a", "b", "c"]) {
    const attemptId = await insertAttempt(database, runId, 1);
    const keys = runId === "a" ? ["evaluation/successRate", "rollout/returnMean"] : ["rollout/returnMean"];
    const ids = await makeMetricIds(database.pool)(keys);
    const lines = Array.from({ length: 10 }, (_, i) => ({
      attemptId,
      seq: i,
      iteration: i,
      optimizerStep: i,
      atMs: 0,
      metricIds: keys.map((key) => ids.get(key) ?? -1),
      values: keys.map(() => 0.1 * i),
    }));
    await inTransaction(database.pool, (client) => appendPoints(client, lines));
    await database.prisma.attempt.update({ where: { id: attemptId }, data: { numMetricLines: 10, lastSeq: 9 } });
  }
  while (await summariseRuns(database.pool, 100));
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

it("sums up runs of another trainer by the success metric that most of them have, in every place", async () => {
  const context = { database, notifications, analyst: makeAnalystHere(database) };
  const caller = createCaller({ ...context, caller: { kind: "session", isSameOrigin: true, person: null } });
  const [ofSweep] = await caller.series.keys({ scope: { sweepIds } });
  const [compared] = await caller.series.keys({ scope: { runIds: ["a", "b", "c"] } });
  const [study] = (await readRunStudy(database, { scope: { sweepIds }, columns: [] })).outcomes;
  const chosen = {
    headline: (await readHeadline(database, "s")).metric,
    ofSweep,
    compared,
    table: (await readBuiltTable(database, { sweepIds, options: {} })).metrics[0],
    report: (await chooseReportMetrics(database, "s"))[0],
    hyperparameters: study?.key.replace("final.", ""),
  };
  expect(new Set(Object.values(chosen)), JSON.stringify(chosen)).toEqual(new Set(["rollout/returnMean"]));
  expect(await caller.series.keys({ scope: { runId: "a" } })).toEqual(["evaluation/successRate", "rollout/returnMean"]);
});
