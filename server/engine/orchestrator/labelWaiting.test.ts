// @module-tag soak
import { afterAll, expect, it } from "vitest";
import { readDetections, readUndetected } from "#server/db/analysis/detections.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { applyLog } from "#server/engine/ingest/applyLog.ts";
import { replayRuns } from "#server/engine/ingest/replayRun.ts";
import { orchestrate } from "./orchestrate.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());
const { pool } = database;
const storage = { pool, metricIds: makeMetricIds(pool) };
const sweepId = "sweep-of-many";
const runIds = Array.from({ length: 24 }, (_, i) => `many-${i}`);

it("labels all runs that wait within one pause between rounds, short ones together, as one by one", async () => {
  await insertSweep(database, sweepId, runIds);
  // One run is longer than all that are read together.
  for (const [i, runId] of runIds.entries()) await storeRun(runId, i === 7 ? 2100 : 25, i);
  await pool.query("UPDATE attempt SET live = false");
  await pool.query("UPDATE run SET status = 'finished'");
  for (const runId of runIds) await replayRuns(pool, [runId]);
  const oneByOne = await readLabels();
  expect(oneByOne.filter(({ hindsight }) => hindsight?.label.kind === "collapseTerminal")).toHaveLength(1);
  await pool.query("UPDATE detection SET detector_version = 'rules-0', status = 'warmup', hindsight = NULL");
  await pool.query("DELETE FROM collapse_event");

  const stop = new AbortController();
  const tenMinutes = 600_000;
  const over = orchestrate({ databaseUrl: database.url, nodes: [], tickMs: tenMinutes, log: () => {} }, stop.signal);
  await expect.poll(() => readUndetected(pool, 1), { interval: 200 }).toEqual([]);
  stop.abort();
  await over;
  expect(await readLabels()).toEqual(oneByOne);
});

async function readLabels() {
  const rows = await readDetections(pool, [sweepId]);
  return rows.toSorted((a, b) => a.runId.localeCompare(b.runId));
}

/**
 * Stores a log of a run whose success is constant; that of run 1 drops to 0 at half. Only a run with an alarm causes a
 * notification, which begins the orchestrator's next round.
 */
async function storeRun(runId: string, length: number, index: number): Promise<void> {
  const attemptId = await insertAttempt(database, runId, 1);
  const lines = Array.from({ length }, (_, i) => {
    const hasFallen = index === 1 && i >= length / 2;
    const values = { "rollout/successRate": hasFallen ? 0 : 0.8, "update/gradientNorm": 1 };
    return { v: 1, atMs: 1e12, seq: i, type: "metrics", iteration: i + 1, optimizerStep: 0, values };
  });
  const bytes = new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await applyLog(storage, { attemptId, logOffset: 0, lastSeq: -1, numMetricLines: 0 }, { bytes, isFinal: true });
}
