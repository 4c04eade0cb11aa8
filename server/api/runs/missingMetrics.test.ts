import { afterAll, beforeAll, expect, it } from "vitest";
import { printTable } from "#server/cli/publish/table.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { readMissingMetrics } from "#server/db/runs/missingMetrics.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { insertAttempt } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { collect } from "#server/engine/alerts/tellOutside.ts";
import { readBuiltTable } from "../publish/builtTables.ts";
import { chooseReportMetrics } from "../publish/reports/chooseMetrics.ts";
import { readHeadline } from "./headline.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

const plan = parsePlan(`name: Named metrics
methods: [grpo, gspo]
environments:
  - { id: custom, title: GSM8K, metrics: { success: val-core/gsm8k/reward/mean@1, trainingSuccess: critic/score/mean } }
base:
  trainer: { name: verl, options: {} }
  budget: { iterations: 4 }
seeds: [0, 1]
`);
const text = "the plan names val-core/gsm8k/reward/mean@1 as evaluation/successRate, but …";
let sweepId = "";

/** Four runs that log their training success only, as if the reward function returned a number. */
beforeAll(async () => {
  sweepId = await createSweep(database, { plan, expansion: expandPlan(plan) });
  const idOf = await makeMetricIds(database.pool)(["rollout/successRate"]);
  const metricIds = [idOf.get("rollout/successRate") ?? -1];
  for (const { id: runId } of await database.prisma.run.findMany()) {
    const attemptId = await insertAttempt(database, runId, 1);
    const rows = [0.5, 0.6, 0.7, 0.8];
    await database.prisma.metricRow.createMany({
      data: rows.map((value, i) => ({
        attemptId,
        seq: i,
        iteration: i + 1,
        optimizerStep: i + 1,
        atMs: 0,
        metricIds,
        values: [value],
      })),
    });
    await database.prisma.attempt.update({ where: { id: attemptId }, data: { numMetricLines: 4, lastSeq: 3 } });
    await database.prisma.run.update({ where: { id: runId }, data: { status: "finished", latestIteration: 4 } });
    await database.prisma.statusEvent.create({
      data: { runId, attempt: 1, source: "trainer", status: "running", reason: "missingMetric", text },
    });
  }
});

it("keeps the success metric that the plan named in tables, headline and reports, without values", async () => {
  const metric = "evaluation/successRate";
  const printed = await printTable(database, ["Named metrics"], { kind: "final", format: "markdown" });
  expect(printed.json).toMatchObject({ metric });
  expect(printed.text).not.toMatch(/\d\d\.\d/);
  expect(printed.text).toContain(`4 runs: ${text}`);
  const built = await readBuiltTable(database, { sweepIds: [sweepId], options: {} });
  expect(built.metrics).toEqual([metric]);
  expect(built.table.notes).toContain(`4 runs: ${text}.`);
  expect((await readHeadline(database, sweepId)).metric).toBe(metric);
  expect((await chooseReportMetrics(database, sweepId))[0]).toBe(metric);
});

it("is one fact for the sweep's page and one alert for all runs of the sweep", async () => {
  const [missing] = await readMissingMetrics(database.pool, { sweepIds: [sweepId] });
  expect(missing).toMatchObject({ sweepId, text, numRuns: 4 });
  for (let i = 0; i < 2; i++) await collect(database.pool, [], { observingSince: new Date(), spent: [] });
  const notices = await database.prisma.alertNotice.findMany({ where: { kind: "missingMetric" } });
  expect(notices.map((notice) => [notice.sweepId, notice.text])).toEqual([[sweepId, text]]);
});

it("ends for a run whose later attempt logs its own facts", async () => {
  const [run] = await database.prisma.run.findMany({ take: 1 });
  await database.prisma.attempt.updateMany({ data: { live: false } });
  const attemptId = await insertAttempt(database, run?.id ?? "", 2);
  await database.prisma.attempt.update({ where: { id: attemptId }, data: { numMetricLines: 1 } });
  expect(await readMissingMetrics(database.pool, { sweepIds: [sweepId] })).toMatchObject([{ numRuns: 3 }]);
});
