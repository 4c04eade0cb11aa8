import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { markChange } from "#server/db/analysis/externalChanges.ts";
import { stampedTables } from "#server/db/runs/dataStamp.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { readColumn } from "#server/db/storage/readRows.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import type { AnalysisName } from "#server/domain/analysis/analyses.ts";
import { askedSchema } from "#server/domain/analysis/questionOptions.ts";
import { applyLog } from "#server/engine/ingest/applyLog.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { split } from "#trainer/spec/rng.ts";
import { insertProvenStudy } from "../testing/provenStudy.ts";
import { analyse } from "./analyses.ts";
import { makeKeptAnswers } from "./keptAnswers.ts";

const database = await makeTestDatabase();
const { pool, prisma } = database;
const metricIds = makeMetricIds(pool);
const kept = makeKeptAnswers(database);
afterAll(() => database.close());

const metric = "evaluation/successRate";
const options = { maxPoints: 20, aggregate: "interval", seeds: true, range: null };
const chartsOf = (sweepId: string, more = {}) => ({
  name: "charts" as const,
  input: { scope: { sweepIds: [sweepId] }, keys: [metric, "policy/entropy"], options: { ...options, ...more } },
});
const overview = { name: "overview" as const, input: askedSchema("overview").parse({ sweepIds: ["main"] }) };

const states = { name: "runStability" as const, input: { sweepIds: ["main"] } };

const comparison = async (): Promise<Asked[]> => {
  const named = { runIds: ["main-1-0"], cellIds: [await cellOf()], cells: [] };
  return [
    { name: "comparison", input: named },
    { name: "comparedFinals", input: { ...named, metric } },
  ];
};

const owners = new Set(["Ada"]);

type Asked = { name: AnalysisName; input: object };

/** Asks, and returns the answer and whether it was computed anew. */
async function ask({ name, input }: Asked) {
  let isComputed = false;
  const value = await kept({ key: `${name} ${JSON.stringify(input)}`, name, input, owners }, () => {
    isComputed = true;
    return analyse(database, name, input);
  });
  return { value, isComputed };
}

/** Appends a line to the log of a run's latest attempt, as the orchestrator does. */
async function logLine(runId: string, value: number): Promise<void> {
  const attempt = await prisma.attempt.findFirstOrThrow({ where: { runId }, orderBy: { number: "desc" } });
  const { id: attemptId, numMetricLines, lastSeq } = attempt;
  const seq = lastSeq + 1;
  const line = {
    v: 1,
    seq,
    atMs: 0,
    type: "metrics",
    iteration: 100 + seq,
    optimizerStep: seq,
    values: { [metric]: value },
  };
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  await applyLog(
    { pool, metricIds },
    { attemptId, logOffset: Number(attempt.logOffset), lastSeq, numMetricLines },
    { bytes, isFinal: false },
  );
}

beforeAll(async () => {
  await insertProvenStudy(database);
  await prisma.attempt.updateMany({ data: { lastSeq: 59 } });
  while (await replayWaiting(pool, 200));
});

const runId = "main-0-0";
const cellOf = async () => (await prisma.run.findUniqueOrThrow({ where: { id: runId } })).cellId;
const changes: [string, () => Promise<unknown>][] = [
  ["a line arrives", () => logLine(runId, 0.25)],
  [
    "a label changes",
    () =>
      pool.query(
        `UPDATE detection SET hindsight = jsonb_set(hindsight, '{label,kind}', '"notJudged"') WHERE run_id = $1`,
        [runId],
      ),
  ],
  ["data are marked as changed", () => markChange(pool, { runId, iteration: 20, text: "new data" })],
  [
    "the detector has judged again",
    async () => {
      while (await replayWaiting(pool, 200));
    },
  ],
  [
    "a run is restarted and ends again",
    async () => {
      await prisma.attempt.create({
        data: {
          runId,
          number: 2,
          jobId: `${runId}.2`,
          node: "local",
          folder: "",
          live: false,
          lastSeq: 0,
          numMetricLines: 0,
        },
      });
      await logLine(runId, 0.75);
    },
  ],
  [
    "a run is added",
    async () =>
      prisma.run.create({
        data: {
          id: "added",
          sweepId: "main",
          cellId: await cellOf(),
          seed: 99,
          status: "finished",
          reason: "completed",
        },
      }),
  ],
  ["a run is deleted", () => prisma.run.delete({ where: { id: "added" } })],
  [
    "a configuration gets another label",
    async () => prisma.cell.update({ where: { id: await cellOf() }, data: { label: "new" } }),
  ],
  ["a baseline is pinned", () => prisma.sweep.update({ where: { id: "main" }, data: { baselineCell: 1 } })],
  ["a metric is renamed", () => prisma.metricAlias.create({ data: { runId, key: metric, original: "val" } })],
];

it.each(changes)("computes anew once after %s, and only for that sweep", async (_, change) => {
  const ofRun = { name: "charts" as const, input: { ...chartsOf("main").input, scope: { runIds: [runId] } } };
  const all: Asked[] = [chartsOf("main"), ofRun, overview, states, ...(await comparison())];
  for (const one of [...all, chartsOf("other")]) await ask(one);
  const again = await Promise.all(all.map(async (one) => (await ask(one)).isComputed));
  expect(again).toEqual(all.map(() => false));
  await change();
  for (const one of all) {
    const { value, isComputed } = await ask(one);
    expect(isComputed).toBe(true);
    expect(value).toEqual(await analyse(database, one.name, one.input));
    expect((await ask(one)).isComputed).toBe(false);
  }
  expect((await ask(chartsOf("other"))).isComputed).toBe(false);
});

it("does not keep what began before a change and ended after it", async () => {
  const asked = {
    name: "charts" as const,
    input: { ...chartsOf("main").input, keys: ["rollout/successRate"] },
    key: "late",
    owners,
  };
  const early = await kept(asked, async () => {
    const before = await analyse(database, asked.name, asked.input);
    await logLine(runId, 0.5);
    return before;
  });
  expect(await kept(asked, () => analyse(database, asked.name, asked.input))).not.toBe(early);
});

it("keeps nothing while a run is not over, because hours and forecasts change with time", async () => {
  await prisma.run.update({ where: { id: "other-0-0" }, data: { status: "running" } });
  await ask(chartsOf("other"));
  expect((await ask(chartsOf("other"))).isComputed).toBe(true);
  await prisma.run.update({ where: { id: "other-0-0" }, data: { status: "finished" } });
});

it("keeps no comparison with a configuration that does not exist, because it may come later", async () => {
  const asked = { name: "comparison" as const, input: { runIds: ["main-1-0"], cellIds: [], cells: ["later/GRPO"] } };
  await ask(asked);
  expect((await ask(asked)).isComputed).toBe(true);
});

it("computes charts of branches anew after a line of their origin, which is in another sweep", async () => {
  const spec = { initialisation: { kind: "branch", run: runId, iteration: 10, optimizer: "kept" } };
  const branches = { id: "branches", name: "Branches", plan: {}, planHash: "" };
  await prisma.sweep.create({ data: branches });
  const { id: cellId } = await prisma.cell.create({
    data: { sweepId: "branches", index: 0, method: "GRPO", label: "", spec, specHash: "" },
  });
  await prisma.run.create({ data: { id: "branch", sweepId: "branches", cellId, seed: 0, status: "finished" } });
  await ask(chartsOf("branches"));
  expect((await ask(chartsOf("branches"))).isComputed).toBe(false);
  await logLine(runId, 0.5);
  expect((await ask(chartsOf("branches"))).isComputed).toBe(true);
});

it("equals the charts without keeping, whatever lines arrive and whichever options are chosen", async () => {
  const rng = split(1, "kept charts");
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(rng.next() * items.length)] ?? (items[0] as Item);
  const runIds = await readColumn(pool, z.string(), {
    sql: "SELECT DISTINCT run_id FROM attempt WHERE run_id LIKE 'main-%'",
  });
  let numKept = 0;
  for (let i = 0; i < 40; i++) {
    if (rng.next() < 0.3) await logLine(pick(runIds), pick([rng.next(), NaN, 1 / 3]));
    const range = pick([null, { from: 3, to: 30 }]);
    const asked = chartsOf("main", { seeds: rng.next() < 0.5, aggregate: pick(["interval", "std", "median"]), range });
    const { value, isComputed } = await ask(asked);
    expect(value).toEqual(await analyse(database, "charts", asked.input));
    if (!isComputed) numKept += 1;
  }
  expect(numKept).toBeGreaterThan(2);
});

it("compares every table whose rows belong to a sweep, a configuration or a run", async () => {
  const tables = await readColumn(pool, z.string(), {
    sql: `SELECT DISTINCT conrelid::regclass::text FROM pg_constraint
      WHERE contype = 'f' AND confrelid IN ('sweep'::regclass, 'cell'::regclass, 'run'::regclass)`,
  });
  // Events change with the detector's state, and summaries with the run's row; saved views change no answer.
  const others = ["collapse_event", "metric_summary", "sweep_view"];
  expect(tables.filter((table) => !stampedTables.includes(table)).sort()).toEqual(others);
});
