import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { appendPoints, makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { parseCsv } from "#packages/statistics";
import { exportRuns } from "./exportRuns.ts";

let database: TestDatabase;
const ids = Array.from({ length: 2500 }, (_, i) => `run${i}`);
const startedAt = new Date("2026-11-22T10:00:00.000Z");

beforeAll(async () => {
  database = await makeTestDatabase();
  await insertSweep(database, "s", ids);
  const data = { tags: ["paper", "seed study"], note: '=SUM(A1), "quoted"', startedAt, endedAt: startedAt };
  await database.prisma.run.update({ where: { id: "run7" }, data });
});
afterAll(() => database.close());

const columns = ["optimizer.learningRate", "method.clipping.kind", "started", "duration", "tags", "note", "seed"];

async function bytesOf(format: "csv" | "parquet"): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await exportRuns(database, { ids: [...ids, "gone"], columns, format })) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

it("comes out of Parquet as it is stored, in groups of rows, whatever is missing", async () => {
  const { buffer } = await bytesOf("parquet");
  const rows = await parquetReadObjects({ file: buffer });
  expect(rows).toHaveLength(2500);
  expect(rows.map((row) => row["run"])).toEqual(ids);
  const known = { run: "run7", method: "GRPO", configuration: null, seed: 7, "method.clipping.kind": "token" };
  const said = { started: startedAt, duration: 0, tags: "paper seed study", note: '=SUM(A1), "quoted"' };
  expect(rows[7]).toMatchObject({ ...known, ...said });
  expect(rows[7]?.["optimizer.learningRate"]).toBeGreaterThan(0);
  expect(rows[8]).toMatchObject({ run: "run8", started: null, duration: null, note: null });
});

it("says the same as CSV, guarded against spreadsheets that would calculate it", async () => {
  const text = new TextDecoder().decode(await bytesOf("csv"));
  const [head, ...lines] = parseCsv(text).map(({ fields }) => fields);
  expect(head?.slice(0, 5)).toEqual(["run", "method", "configuration", "seed", "optimizer.learningRate"]);
  expect(lines.map(([run]) => run)).toEqual(ids);
  expect(lines[7]?.slice(5)).toEqual(["token", startedAt.toISOString(), "0", "paper seed study", '=SUM(A1), "quoted"']);
  expect(text).toContain("'=SUM");
});

it("refuses a column that there is not", async () => {
  const asked = exportRuns(database, { ids, columns: ["nothing.such"], format: "csv" });
  await expect(asked).rejects.toThrow("runs have no field nothing.such");
});

it("gives curves a row an iteration, with the metrics side by side and none where one was not logged", async () => {
  const attemptId = await insertAttempt(database, "run3", 1);
  const names = ["rollout/successRate", "update/gradientNorm"];
  const metricIds = await makeMetricIds(database.pool)(names);
  const [success = 0, norm = 0] = names.map((name) => metricIds.get(name) ?? 0);
  const line = { attemptId, optimizerStep: 0, atMs: 0 };
  await inTransaction(database.pool, (client) =>
    appendPoints(client, [
      { ...line, seq: 0, iteration: 0, metricIds: [success], values: [0.25] },
      { ...line, seq: 1, iteration: 1, metricIds: [success, norm], values: [0.5, Infinity] },
    ]),
  );
  await database.prisma.attempt.update({ where: { id: attemptId }, data: { lastSeq: 1, numMetricLines: 2 } });
  const chunks: Uint8Array[] = [];
  const asked = { ids: ["run2", "run3"], columns: ["environment", "iteration"], metrics: names.toReversed() };
  for await (const chunk of await exportRuns(database, { ...asked, format: "parquet" })) chunks.push(chunk);
  const rows = await parquetReadObjects({ file: new Uint8Array(Buffer.concat(chunks)).buffer });
  const run = { run: "run3", method: "GRPO", configuration: null, seed: 3, environment: "sokoban" };
  expect(rows).toEqual([
    { ...run, iteration: 0, "update/gradientNorm": null, "rollout/successRate": 0.25 },
    { ...run, iteration: 1, "update/gradientNorm": Infinity, "rollout/successRate": 0.5 },
  ]);
});
