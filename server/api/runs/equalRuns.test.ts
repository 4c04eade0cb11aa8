import { afterAll, beforeAll, expect, it } from "vitest";
import { findRepeats } from "#server/db/runs/equalRuns.ts";
import { appendPoints, makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { split } from "#trainer/spec/rng.ts";
import { readComparedFinals, readComparison } from "../analysis/comparison.ts";
import { readHeadline } from "./headline.ts";
import { readCharts } from "./keptCharts.ts";

let database: TestDatabase;

const keys = ["rollout/successRate", "policy/klReference", "time/iterationMs"];

/** Logs ten iterations. Runs with an equal `kind` differ in their times only. */
async function log(runId: string, kind: number): Promise<void> {
  const attemptId = await insertAttempt(database, runId, 1);
  await database.prisma.attempt.update({ where: { id: attemptId }, data: { numMetricLines: 10, lastSeq: 9 } });
  const ids = await makeMetricIds(database.pool)(keys);
  const rng = split("equal runs", runId);
  const lines = Array.from({ length: 10 }, (_, iteration) => ({
    attemptId,
    seq: iteration,
    iteration,
    optimizerStep: iteration,
    atMs: 0,
    metricIds: keys.map((key) => ids.get(key) ?? -1),
    // The kind changes iteration 3 only, which no summary contains.
    values: [0.1 + 0.03 * iteration, 0.01 * iteration - (iteration === 3 ? kind / 1000 : 0), rng.next()],
  }));
  await inTransaction(database.pool, (client) => appendPoints(client, lines));
}

beforeAll(async () => {
  database = await makeTestDatabase();
  await insertSweep(database, "s", ["a", "b", "c", "d", "silent"]);
  for (const [id, kind] of [
    ["a", 0],
    ["b", 0],
    ["c", 0],
    ["d", 1],
  ] as const)
    await log(id, kind);
  while (await summariseRuns(database.pool, 100));
});
afterAll(() => database.close());

it("finds runs that are equal at every step, whatever their times", async () => {
  expect((await findRepeats(database.pool, ["a", "b", "c", "d", "silent"])).groups).toEqual([["a", "b", "c"]]);
  expect((await findRepeats(database.pool, ["a", "d", "silent"])).groups).toEqual([]);
});

it("says in the sweep's headline that equal seeds count as one", async () => {
  const [{ id: cellId } = { id: -1 }] = await database.prisma.cell.findMany({ where: { sweepId: "s", index: 0 } });
  await database.prisma.run.updateMany({ where: { id: { in: ["a", "b", "c"] } }, data: { cellId } });
  const { sentence, cells } = await readHeadline(database, "s");
  expect(sentence).toContain(
    "seeds 0, 1 and 2 are equal at every step and count as one; the program may ignore its seed.",
  );
  expect(cells.find((cell) => cell.cellId === cellId)?.n).toBe(1);
});

it("says so in the comparison, whose spread counts equal seeds as one", async () => {
  const { cellId } = await database.prisma.run.findUniqueOrThrow({ where: { id: "a" } });
  const asked = { runIds: [], cellIds: [cellId] };
  expect((await readComparison(database, asked)).equal).toEqual([
    expect.stringContaining("seeds 0, 1 and 2 are equal at every step and count as one"),
  ]);
  const [final] = await readComparedFinals(database, { ...asked, metric: "rollout/successRate" });
  expect(final).toMatchObject({ n: 1, interval: null });
});

it("draws bands over distinct seeds and the lines of all", async () => {
  const options = { aggregate: "std" as const, seeds: true, maxPoints: 100, range: null };
  const scope = { sweepIds: ["s"] };
  const { charts } = await readCharts(database, { scope, keys: ["rollout/successRate"], options });
  const { cellId } = await database.prisma.run.findUniqueOrThrow({ where: { id: "a" } });
  const band = charts[0]?.bands.find((one) => one.cellId === cellId);
  expect(band?.counts).toEqual(Array.from({ length: 10 }, () => 1));
  expect(charts[0]?.lines).toHaveLength(4);
});
