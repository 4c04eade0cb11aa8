/**
 * Measures points per second from bytes of event logs to committed rows, and bytes per point afterwards: `node
 * bench/compiled.mjs ingest [RUNS 10] [ITERATIONS 2000] [METRICS 40]`. The code path is that of the orchestrator:
 * chunks of a log are parsed, checked, applied with their offset, read by the detector and stored as blocks. At the
 * end every alarm rule is evaluated on the runs in hindsight. PostgreSQL commits durably.
 */
import { readLiveAttempts } from "#server/db/fleet/attempts.ts";
import type { Database } from "#server/db/storage/client.ts";
import { compactPoints, makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { insertRun } from "#server/db/testing/insertRun.ts";
import { drainLog } from "#server/engine/ingest/drainLog.ts";
import { maxLogBytes } from "#server/engine/launchers/launcher.ts";
import { metrics } from "#trainer/spec/metric.ts";
import { split } from "#trainer/spec/rng.ts";
import { measureBytesPerPoint, onThrowawayDatabase, print, readNumbers, type Seconds } from "./throwaway.ts";

const [numRuns = 0, numIterations = 0, numMetrics = 0] = readNumbers([10, 2000, 40]);

await onThrowawayDatabase({ isDurable: true }, async (database, stopwatch) => {
  const log = makeLog();
  for (let i = 0; i < numRuns; i++) await insertRun(database, `run${i}`);
  const numPoints = numRuns * numIterations * numMetrics;
  print("points", numPoints, "");
  print("log", log.length / numIterations / numMetrics, "B/point");

  const longestHold = watchLoop();
  const all = stopwatch();
  await ingest(database, log, maxLogBytes);
  report("ingest, whole chunks (catching up)", numPoints, all());
  print("longest time that the loop of events was held, CPU", longestHold(), "ms");
  const { hot, compacted, perPoint } = await measureBytesPerPoint(database);
  print("stored, hot rows and blocks together", perPoint, "B/point");
  print("of which the table of hot rows, empty by now", (hot / (hot + compacted)) * perPoint, "B/point");

  for (let i = 0; i < numRuns; i++) await insertRun(database, `live${i}`);
  const lines = Math.max(1, Math.floor(log.length / numIterations));
  const live = stopwatch();
  await ingest(database, log.subarray(0, lines * 200), lines * 2);
  report("ingest, two lines at a time (as they are written)", numRuns * 200 * numMetrics, live());
});

/**
 * Watches how long the event loop is blocked. The returned function gives the maximum CPU milliseconds between two
 * timer calls so far, including garbage collector threads.
 */
function watchLoop(): () => number {
  let before = process.cpuUsage();
  let longest = 0;
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.cpuUsage();
  }, 2);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

function report(title: string, numPoints: number, { wall, cpu }: Seconds): void {
  print(`${title}, by wall time`, numPoints / wall, "points/s");
  print(`${title}, by CPU time`, numPoints / cpu, "points/s");
}

async function ingest(database: Database, log: Uint8Array, chunkBytes: number): Promise<void> {
  const storage = { pool: database.pool, metricIds: makeMetricIds(database.pool) };
  for (const attempt of await readLiveAttempts(database)) {
    const readLog = (from: number) => Promise.resolve(log.subarray(from, from + chunkBytes));
    let position = attempt;
    while (!(await drainLog(storage, position, { readLog, hasEnded: true }))) {
      position = (await readLiveAttempts(database)).find(({ attemptId }) => attemptId === attempt.attemptId) ?? attempt;
    }
    await compactPoints(database.pool, attempt.attemptId, { isOver: true });
    await database.pool.query("UPDATE attempt SET live = false WHERE id = $1", [attempt.attemptId]);
  }
}

/**
 * Makes the log of a finished run with the catalogue's keys, rates in [0, 1], and as many digits as the trainer
 * writes.
 */
function makeLog(): Uint8Array {
  const rng = split(0, "bench ingest");
  const keys = Array.from({ length: numMetrics }, (_, i) => Object.keys(metrics)[i] ?? `bench/metric${i}`);
  const valueOf = (key: string) => (/(Rate|Fraction)$/.test(key) ? 0.5 + 0.1 * rng.next() : rng.normal());
  const lines = Array.from({ length: numIterations }, (_, i) => {
    const seq = i + 1;
    const values = Object.fromEntries(keys.map((key) => [key, valueOf(key)]));
    const event = { v: 1, seq, atMs: 1.7e12 + seq, type: "metrics", iteration: seq, optimizerStep: seq * 4, values };
    return `${JSON.stringify(event)}\n`;
  });
  const head = { v: 1, seq: 0, atMs: 1.7e12 };
  const started = { ...head, type: "started", specHash: "", code: "", host: "", pid: 1, numParameters: 1 };
  const first = `${JSON.stringify({ ...started, vocabularySize: 1, firstIteration: 1 })}\n`;
  const end = {
    ...head,
    seq: numIterations + 1,
    type: "done",
    exit: "completed",
    reason: "",
    numMetricLines: numIterations,
  };
  return new TextEncoder().encode(`${first}${lines.join("")}${JSON.stringify(end)}\n`);
}
