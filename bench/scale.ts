/**
 * Measures a sweep of 10,000 runs, of which 1,000 are running: `node bench/compiled.mjs scale [RUNS 10000] [LIVE
 * 1000] [SECONDS 60] [INTERVAL_S 20]`. Measures expansion, storing, the queries of the pages, and the orchestrator's
 * loop on a real PostgreSQL. Only the jobs are simulated: a launcher answers from memory, and every job logs an
 * iteration of 40 metrics each INTERVAL_S seconds.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "#server/db/storage/client.ts";
import { readCells, readRuns } from "#server/db/runs/runs.ts";
import { createSweep, listSweeps, readSweep } from "#server/db/plan/sweeps.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import type { JobState } from "#server/domain/fleet/job.ts";
import { LocalNode } from "#server/domain/fleet/nodes/node.ts";
import type { Launcher } from "#server/engine/launchers/launcher.ts";
import { orchestrate } from "#server/engine/orchestrator/orchestrate.ts";
import { metrics } from "#trainer/spec/metric.ts";
import { methodNames } from "#trainer/spec/method.ts";
import { split } from "#trainer/spec/rng.ts";
import { onThrowawayDatabase, print, readNumbers, type Stopwatch } from "./throwaway.ts";
import { readRunStability } from "#server/api/analysis/replay.ts";

const [numRuns = 0, numLive = 0, numSeconds = 0, intervalS = 0] = readNumbers([10_000, 1000, 60, 20]);
const numMetrics = 40;

await onThrowawayDatabase({ isDurable: true }, async (database, stopwatch, databaseUrl) => {
  const plan = makePlan();
  await report("expansion", { stopwatch, ask: () => Promise.resolve(expandPlan(plan)) });
  const expansion = expandPlan(plan);
  print("cells", expansion.cells.length, "");
  print("runs", expansion.runs.length, "");
  const storing = stopwatch();
  const sweepId = await createSweep(database, { plan, expansion });
  const stored = storing();
  print("storing the plan, wall time", stored.wall * 1000, "ms");
  print("storing the plan, CPU time", stored.cpu * 1000, "ms");
  await database.pool.query("ANALYZE");
  await reportPages(database, { stopwatch, sweepId });
  await live(database, { stopwatch, databaseUrl });
  // Waits, because the CPU time of connections that are closed before the measurement would be lost.
  await sleep(2000);
  await reportPages(database, { stopwatch, sweepId });
});

/** Makes a plan of ten methods × learning rates, coefficients and temperatures, with two seeds each. */
function makePlan(): SweepPlan {
  const steps = (count: number, by: number) =>
    Array.from({ length: count }, (_, i) => Number((by * (i + 1)).toFixed(6)));
  const [perAxis, numSeeds] = [10, Math.max(1, Math.round(numRuns / 5000))];
  const numThird = Math.max(1, Math.round(numRuns / (10 * perAxis * perAxis * numSeeds)));
  return SweepPlan.parse({
    name: "ten thousand",
    environments: [{ id: "sokoban" }],
    methods: methodNames.slice(0, 10),
    axes: {
      "optimizer.learningRate": steps(perAxis, 1e-4),
      "update.klCoef": steps(perAxis, 1e-3),
      "rollout.temperature": steps(numThird, 0.2),
    },
    seeds: Array.from({ length: numSeeds }, (_, seed) => seed),
  });
}

type Asked = { stopwatch: Stopwatch; ask: () => Promise<unknown> };

async function report(title: string, { stopwatch, ask }: Asked): Promise<void> {
  const first = stopwatch();
  await ask();
  const { wall, cpu } = first();
  print(`${title}: first, wall time`, wall * 1000, "ms");
  print(`${title}: first, CPU time`, cpu * 1000, "ms");
  const all = stopwatch();
  for (let i = 0; i < 5; i++) await ask();
  print(`${title}: CPU time, mean of 5 more`, (all().cpu * 1000) / 5, "ms");
}

async function reportPages(database: Database, { stopwatch, sweepId }: { stopwatch: Stopwatch; sweepId: string }) {
  const scope = { sweepIds: [sweepId] };
  const questions: [string, () => Promise<unknown>][] = [
    ["list of sweeps", () => listSweeps(database)],
    ["the sweep", () => readSweep(database, sweepId)],
    ["its grid", () => Promise.all([readCells(database, scope), readRuns(database, scope)])],
    ["its stability", () => readRunStability(database, { sweepIds: [sweepId] })],
  ];
  for (const [title, ask] of questions) {
    await report(title, { stopwatch, ask });
    print(`${title}: answer`, JSON.stringify(await ask()).length / 1024, "KiB");
  }
}

type Site = { stopwatch: Stopwatch; databaseUrl: string };

async function live(database: Database, { stopwatch, databaseUrl }: Site): Promise<void> {
  const node = LocalNode.parse({ kind: "local", name: "simulated", slots: { per: "core", count: numLive } });
  const stop = new AbortController();
  const starting = stopwatch();
  const acting = orchestrate(
    { databaseUrl, nodes: [{ node, launcher: simulate() }], log: (text) => console.error(text) },
    stop.signal,
  );
  while ((await countRunning(database)) < numLive) await sleep(500);
  const { wall, cpu } = starting();
  print(`${numLive} runs started and seen, wall time`, wall, "s");
  print(`${numLive} runs started and seen, CPU time`, cpu, "s");
  const before = await countLines(database);
  const watching = stopwatch();
  const startUsage = process.cpuUsage();
  await sleep(numSeconds * 1000);
  const { user, system } = process.cpuUsage(startUsage);
  const { wall: seconds, cpu: busy } = watching();
  print("lines applied", ((await countLines(database)) - before) / seconds, "lines/s");
  print(`bookkeeping of ${numLive} live runs`, (100 * busy) / seconds, "% of a core");
  print("of which the orchestrator's process", (user + system) / 1e4 / seconds, "% of a core");
  stop.abort();
  await acting;
}

/** Makes a launcher that simulates endless jobs. Each job logs one line per interval, with its own time offset. */
function simulate(): Launcher {
  const seen: JobState = { state: "running", pid: 1 };
  const waiting: JobState = { state: "submitted" };
  const log = makeLog();
  const startedAtMs = new Map<string, number>();
  return {
    node: "simulated",
    folderOf: () => "",
    launch: ({ jobId }) => {
      startedAtMs.set(jobId, Date.now() - split(0, jobId).next() * intervalS * 1000);
      return Promise.resolve();
    },
    observe: (jobs) =>
      Promise.resolve({
        states: new Map<string, JobState>(jobs.map(({ jobId }) => [jobId, startedAtMs.has(jobId) ? seen : waiting])),
        contact: { isMade: true },
      }),
    cancel: () => Promise.resolve(),
    readLog: (jobId, fromByte) => {
      const startMs = startedAtMs.get(jobId) ?? Infinity;
      const numLines = Math.floor((Date.now() - startMs) / (intervalS * 1000));
      return Promise.resolve(log.bytes.subarray(fromByte, log.ends[Math.max(-1, numLines)] ?? 0));
    },
  };
}

function makeLog(): { bytes: Uint8Array; ends: number[] } {
  const rng = split(0, "bench scale");
  const keys = Object.keys(metrics).slice(0, numMetrics);
  const ends: number[] = [];
  const lines: string[] = [];
  let length = 0;
  for (let seq = 0; seq < 2000; seq++) {
    const values = Object.fromEntries(keys.map((key) => [key, 0.5 + 0.1 * rng.normal()]));
    const event = { v: 1, seq, atMs: 1.7e12 + seq, type: "metrics", iteration: seq, optimizerStep: seq * 4, values };
    lines.push(`${JSON.stringify(event)}\n`);
    length += lines[seq]?.length ?? 0;
    ends.push(length);
  }
  return { bytes: new TextEncoder().encode(lines.join("")), ends };
}

async function countRunning({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ n: number }>("SELECT count(*)::int AS n FROM run WHERE status = 'running'");
  return rows[0]?.n ?? 0;
}

async function countLines({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ n: number }>("SELECT sum(num_metric_lines)::int AS n FROM attempt");
  return rows[0]?.n ?? 0;
}
