import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { readSeriesSince } from "#server/db/runs/points.ts";
import { readRunIds } from "#server/db/runs/runs.ts";
import { readColumn } from "#server/db/storage/readRows.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { makeCharts } from "#server/domain/runs/series/makeCharts.ts";
import { applyLog } from "#server/engine/ingest/applyLog.ts";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { split } from "#trainer/spec/rng.ts";
import { insertProvenStudy } from "../testing/provenStudy.ts";
import { type ChartSelection, encodeCursor, withOrigins } from "./charts.ts";
import { readCharts } from "./keptCharts.ts";

const database = await makeTestDatabase();
const { pool, prisma } = database;
const metricIds = makeMetricIds(pool);
afterAll(() => database.close());

const metric = "evaluation/successRate";
const keys = [metric, "policy/entropy"];
const usual = { maxPoints: 20, aggregate: "interval", seeds: true, range: null } as const;
const ofMain: ChartSelection = { scope: { sweepIds: ["main"] }, keys, options: usual };

beforeAll(async () => {
  await insertProvenStudy(database);
  await prisma.attempt.updateMany({ data: { lastSeq: 59 } });
  const spec = { initialisation: { kind: "branch", run: "main-0-0", iteration: 1000, optimizer: "kept" } };
  const cell = { sweepId: "main", index: 99, method: "GRPO", label: "", spec, specHash: "" };
  const { id: cellId } = await prisma.cell.create({ data: cell });
  await prisma.run.create({ data: { id: "main-branch", sweepId: "main", cellId, seed: 0, status: "running" } });
  await begin("main-branch", 1);
  await logLine("main-branch", { [metric]: 0.5 });
});

async function begin(runId: string, number: number): Promise<void> {
  await prisma.attempt.updateMany({ where: { runId }, data: { live: false } });
  await prisma.attempt.create({ data: { runId, number, jobId: `${runId}.${number}`, node: "local", folder: "" } });
}

/** Appends a line to the log of a run's latest attempt, as the orchestrator does. */
async function logLine(runId: string, values: Record<string, number>): Promise<void> {
  const attempt = await prisma.attempt.findFirstOrThrow({ where: { runId }, orderBy: { number: "desc" } });
  const { id: attemptId, numMetricLines, lastSeq } = attempt;
  const [seq, iteration] = [lastSeq + 1, 60 + numMetricLines];
  const line = { v: 1, seq, atMs: 0, type: "metrics", iteration, optimizerStep: seq, values };
  const position = { attemptId, logOffset: Number(attempt.logOffset), lastSeq, numMetricLines };
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  await applyLog({ pool, metricIds }, position, { bytes, isFinal: false });
}

/** Computes the charts from all points, as before parts were kept. */
async function readWhole({ scope, keys, options }: ChartSelection) {
  const cells = await readRunIds(database, scope);
  const runIds = cells.flatMap((cell) => cell.runIds);
  const { cursor, series } = await readSeriesSince(pool, { runIds, keys, cursor: {} });
  const whole = await withOrigins(database, series, { runIds, keys });
  return { cursor: encodeCursor(cursor), charts: makeCharts(whole, { cells, keys, options }) };
}

it("equals the charts of all points, whatever is logged, restarted, added or deleted", { tags: inBoth }, async () => {
  const rng = split(isSoak ? 2 : 1, "kept charts");
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(rng.next() * items.length)] ?? (items[0] as Item);
  const logged = () =>
    readColumn(pool, z.string(), { sql: "SELECT DISTINCT run_id FROM attempt WHERE run_id LIKE 'main-%' ORDER BY 1" });
  const changes = [
    async () => logLine(pick(await logged()), { [pick([...keys, "new/metric"])]: pick([rng.next(), 1 / 3]) }),
    async () => logLine("main-0-0", { [metric]: rng.next() }),
    async () => {
      const runId = pick(await logged());
      await begin(runId, 2 + (await prisma.attempt.count({ where: { runId } })));
    },
    async () => {
      const { cellId, id } = await prisma.run.findFirstOrThrow({ where: { sweepId: "main" }, orderBy: { id: "desc" } });
      await prisma.run.create({
        data: { id: `${id}x`, sweepId: "main", cellId, seed: 100 + Math.floor(rng.next() * 1e6), status: "running" },
      });
      await begin(`${id}x`, 1);
    },
    async () =>
      prisma.run.delete({
        where: { id: pick((await logged()).filter((id) => !["main-0-0", "main-branch"].includes(id))) },
      }),
    async () => undefined,
  ];
  for (let i = 0; i < (isSoak ? 60 : 15); i++) {
    await pick(changes)();
    const options = { ...usual, seeds: rng.next() < 0.7, range: pick([null, null, { from: 3, to: 30 }]) };
    const asked = { ...ofMain, keys: pick([keys, ["new/metric", metric]]), options };
    expect(await readCharts(database, asked)).toEqual(await readWhole(asked));
  }
});

it("reads only configurations whose logs have grown", async () => {
  const asked = { ...ofMain, scope: { sweepIds: ["other"] } };
  const before = await readCharts(database, asked);
  // Points never disappear from a log; their absence shows which runs are read again.
  await pool.query("DELETE FROM metric_row WHERE attempt_id IN (SELECT id FROM attempt WHERE run_id LIKE 'other-%')");
  expect(await readCharts(database, asked)).toEqual(before);
  await logLine("other-0-1", { [metric]: 0.5 });
  const after = await readCharts(database, asked);
  const [first, ...others] = after.charts[0]?.bands ?? [];
  expect(first?.iterations).toHaveLength(1);
  expect(others).toEqual(before.charts[0]?.bands.slice(1));
});
