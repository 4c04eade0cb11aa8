import { afterAll, expect, it } from "vitest";
import { readLiveAttempts } from "#server/db/fleet/attempts.ts";
import { readDetections } from "#server/db/analysis/detections.ts";
import { makeDatabase } from "#server/db/storage/client.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { insertRun } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { applyLog } from "./applyLog.ts";
import { applyTogether } from "./applyTogether.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());
const storage = { pool: database.pool, metricIds: makeMetricIds(database.pool) };
const key = "rollout/successRate";

it("stores what many logs hold as each alone would, and leaves what is no plain line to be read by itself", async () => {
  const ids = await Promise.all(["plain", "two", "noted", "broken"].map((runId) => insertRun(database, runId)));
  const [plain = 0, two = 0, noted = 0, broken = 0] = ids;
  const applied = await together(
    new Map([
      [plain, line(0, 1, 0.25)],
      [two, line(0, 1, 0.5) + line(1, 2, 0.75) + '{"v":1,"seq":2'],
      [
        noted,
        line(0, 1, 1) + `${JSON.stringify({ v: 1, seq: 1, atMs: 0, type: "note", level: "info", text: "hi" })}\n`,
      ],
      [broken, "what is this\n"],
    ]),
  );
  expect(applied).toEqual(new Set([plain, two]));
  const series = await readSeries(database.pool, { runIds: ["plain", "two", "noted"], keys: [key] });
  expect(series.map(({ runId, values }) => [runId, [...values]])).toEqual([
    ["plain", [0.25]],
    ["two", [0.5, 0.75]],
  ]);
  expect(await position(plain)).toMatchObject({ logOffset: line(0, 1, 0.25).length, lastSeq: 0, numMetricLines: 1 });
  expect(await position(two)).toMatchObject({ lastSeq: 1, numMetricLines: 2 });
  const runs = await database.prisma.run.findMany({ where: { id: { in: ["plain", "two"] } }, orderBy: { id: "asc" } });
  expect(runs.map(({ latestIteration }) => latestIteration)).toEqual([1, 2]);
});

it("moves the detector on with the lines, one batch or one line at a time", async () => {
  const [a, b] = [await insertRun(database, "batch"), await insertRun(database, "single")];
  const values = Array.from({ length: 40 }, (_, i) => (i < 25 ? 0.8 : 0.05));
  for (const [seq, value] of values.entries()) {
    await together(new Map([[a, line(seq, seq + 1, value)]]));
    await applyLog(storage, await position(b), { bytes: encode(line(seq, seq + 1, value)), isFinal: false });
  }
  const [one, other] = await Promise.all(
    ["batch", "single"].map((id) => readDetections(database.pool, [`sweep-of-${id}`])),
  );
  expect(one?.[0]?.changes.length).toBeGreaterThan(1);
  expect({ ...one?.[0], runId: "" }).toEqual({ ...other?.[0], runId: "" });
  const told = await database.prisma.collapseEvent.findMany({ orderBy: [{ iteration: "asc" }, { id: "asc" }] });
  const of = (runId: string) =>
    told.filter((event) => event.runId === runId).map(({ iteration, message }) => [iteration, message]);
  expect(of("batch").length).toBeGreaterThan(0);
  expect(of("batch")).toEqual(of("single"));
});

it("lets nobody apply the same lines twice", async () => {
  const attemptId = await insertRun(database, "raced");
  const from = await position(attemptId);
  const fresh = [{ position: from, bytes: encode(line(0, 1, 0.5)) }];
  const outcomes = await Promise.all([applyTogether(storage, fresh), applyTogether(storage, fresh)]);
  expect(outcomes.map((applied) => applied.size).sort((a, b) => a - b)).toEqual([0, 1]);
  const [series] = await readSeries(database.pool, { runIds: ["raced"], keys: [key] });
  expect([...(series?.values ?? [])]).toEqual([0.5]);
});

it("leaves logs with values that no column takes to be read one by one", async () => {
  const attemptId = await insertRun(database, "too large");
  expect(await together(new Map([[attemptId, line(0, 2 ** 40, 0.5)]]))).toEqual(new Set());
});

it("says so when the database is out of order, instead of reading every log by itself", async () => {
  const attemptId = await insertRun(database, "unstored");
  const gone = makeDatabase("postgresql://nobody@127.0.0.1:1/none");
  const fresh = [{ position: await position(attemptId), bytes: encode(line(0, 1, 0.5)) }];
  await expect(applyTogether({ ...storage, pool: gone.pool }, fresh)).rejects.toThrow("ECONNREFUSED");
  await gone.close();
});

async function together(logs: ReadonlyMap<number, string>): Promise<ReadonlySet<number>> {
  const fresh = [...logs].map(async ([id, text]) => ({ position: await position(id), bytes: encode(text) }));
  return applyTogether(storage, await Promise.all(fresh));
}

async function position(attemptId: number) {
  const found = (await readLiveAttempts(database)).find((attempt) => attempt.attemptId === attemptId);
  if (!found) throw new Error(`attempt ${attemptId} is gone`);
  return found;
}

function line(seq: number, iteration: number, value: number): string {
  const event = { v: 1, seq, atMs: 0, type: "metrics", iteration, optimizerStep: iteration, values: { [key]: value } };
  return `${JSON.stringify(event)}\n`;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
