/**
 * The table of runs, as a user waits for it: `node bench/compiled.mjs runTable [RUNS 10000] [METRICS 20] [CELLS 2000]`
 * A window of a hundred rows first, filtered, sorted and grouped, and how fast summaries are made.
 */
import { readRunGroups, readRunTable } from "#server/api/reports/runTable.ts";
import { summariseRuns } from "#server/db/runSummaries.ts";
import { metrics } from "#trainer/spec/metric.ts";
import { fillRuns } from "./syntheticRuns.ts";
import { onThrowawayDatabase, print, readNumbers, type Stopwatch } from "./throwaway.ts";

const [numRuns = 0, numMetrics = 0, numCells = 0] = readNumbers([10_000, 20, 2000]);
const success = "evaluation/successRate";
const others = Object.keys(metrics).filter((key) => key !== success);
const keys = [success, ...others.slice(0, numMetrics - 1)];
const usual = ["sweep", "environment", "state", "stability", `final.${success}`, `best.${success}`, "duration", "tags"];
const columns = [...usual, "optimizer.learningRate", "created"];
const view = { filter: "", columns, order: [], offset: 0, limit: 100 };
const at20 = `at20.${success}`;
const byAt20 = [{ field: at20, isDescending: true }];
const bySuccess = [{ field: `final.${success}`, isDescending: true }];

await onThrowawayDatabase({ isDurable: true }, async (database, stopwatch) => {
  await fillRuns(database, { sweepId: "bench", numRuns, numCells, keys, numPoints: 41 });
  const summing = stopwatch();
  while (await summariseRuns(database.pool, 50));
  print("summaries made", numRuns / summing().wall, "runs/s");
  await database.pool.query("ANALYZE");
  const questions: [string, () => Promise<unknown>][] = [
    ["first rows", () => readRunTable(database, view)],
    ["sorted by a metric", () => readRunTable(database, { ...view, order: bySuccess })],
    ["a metric at iteration 20", () => readRunTable(database, { ...view, columns: [...columns, at20] })],
    ["sorted by a metric at iteration 20", () => readRunTable(database, { ...view, order: byAt20 })],
    ["filter: metric at iteration 20", () => readRunTable(database, { ...view, filter: `${at20}>0.5` })],
    [
      "grouped, metric at iteration 20",
      () => readRunGroups(database, { ...view, columns: [at20], groupBy: ["method"] }),
    ],
    ["sorted by cost", () => readRunTable(database, { ...view, order: [{ field: "cost", isDescending: true }] })],
    ["the last window", () => readRunTable(database, { ...view, order: bySuccess, offset: numRuns - 100 })],
    ["filter: method and rate", () => readRunTable(database, { ...view, filter: "method:gspo lr<1e-3" })],
    ["filter: metric, sorted", () => readRunTable(database, { ...view, filter: "success>0.5", order: bySuccess })],
    ["filter: any text", () => readRunTable(database, { ...view, filter: "bench-run77" })],
    ["grouped by method and rate", () => readRunGroups(database, { ...view, groupBy: ["method", "lr"] })],
  ];
  for (const [title, ask] of questions) await report(title, { stopwatch, ask });
});

async function report(title: string, { stopwatch, ask }: { stopwatch: Stopwatch; ask: () => Promise<unknown> }) {
  const all = stopwatch();
  const times: number[] = [];
  for (let i = 0; i < 15; i++) {
    // The stopwatch asks every process of the machine, which costs as much as a small query.
    const startMs = performance.now();
    await ask();
    times.push(performance.now() - startMs);
  }
  const { cpu } = all();
  const [first = NaN] = times;
  times.sort((a, b) => a - b);
  print(`${title}: first`, first, "ms");
  print(`${title}: median of ${times.length}`, times[times.length >> 1] ?? NaN, "ms");
  print(`${title}: CPU time, mean`, (cpu * 1000) / times.length, "ms");
}
