import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toMetricValue } from "#trainer/spec/event.ts";
import { makeMetricIds } from "../db/pointWrites.ts";
import { insertAttempt, insertSweep } from "../db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "../db/testing/testDatabase.ts";
import { generateRun } from "../domain/stability/synthetic/generate.ts";
import { applyLog } from "../ingest/applyLog.ts";
import { readDimensions, readFindings } from "./dimensions.ts";
import { readOverview, readReplay } from "./stabilityReports.ts";

let database: TestDatabase;
const sweepIds = ["study"];
const metric = "rollout/successRate";
const { points } = generateRun("H_grpo", 4);

beforeAll(async () => {
  database = await makeTestDatabase();
  await insertSweep(database, "study", ["completed", "diverged", "running", "waiting", "cancelled"]);
  await log("completed", "completed");
  await log("diverged", "diverged");
  await log("running");
  await database.prisma.run.update({ where: { id: "cancelled" }, data: { status: "cancelled" } });
});
afterAll(() => database.close());

/** A run's whole log, with its last line where it has ended. */
async function log(runId: string, exit?: "completed" | "diverged"): Promise<void> {
  const started = { type: "started", specHash: "", code: "", host: "", pid: 1, numParameters: 1, vocabularySize: 1 };
  const lines: object[] = [
    { ...started, firstIteration: 1 },
    ...points.map(({ iteration, values }) => ({
      type: "metrics",
      iteration,
      optimizerStep: 0,
      values: Object.fromEntries(Object.entries(values).map(([key, x]) => [key, toMetricValue(x)])),
    })),
    ...(exit ? [{ type: "done", exit, reason: "", numMetricLines: points.length }] : []),
  ];
  const text = lines.map((line, seq) => `${JSON.stringify({ v: 1, atMs: 1e12, seq, ...line })}\n`).join("");
  const attemptId = await insertAttempt(database, runId, 1);
  const storage = { pool: database.pool, metricIds: makeMetricIds(database.pool) };
  const start = { attemptId, logOffset: 0, lastSeq: -1, numMetricLines: 0 };
  await applyLog(storage, start, { bytes: new TextEncoder().encode(text), isFinal: exit !== undefined });
}

describe("a replay", () => {
  it.each(["completed", "diverged", "running"])(
    "says of the %s run in hindsight what the overview says",
    async (runId) => {
      const { runs } = await readOverview(database, sweepIds);
      const { label } = await readReplay(database, runId);
      expect(label).toEqual(runs.find((run) => run.runId === runId)?.label);
    },
  );

  it("knows that a run was given up without finite numbers, and says nothing of one that goes on", async () => {
    expect((await readReplay(database, "completed")).label?.kind).toBe("healthy");
    expect((await readReplay(database, "diverged")).label?.kind).toBe("nonFinite");
    expect((await readReplay(database, "running")).label).toBeNull();
  });
});

describe("a study of the dimensions", () => {
  it("counts as going on what goes on: a run cancelled before it began is over", async () => {
    const counts = { numRuns: 2, numOpen: 2, numSilent: 1, numForeign: 0 };
    expect(await readDimensions(database, { sweepIds, metric })).toMatchObject(counts);
    expect(await readFindings(database, { sweepIds, metric })).toMatchObject(counts);
  });
});
