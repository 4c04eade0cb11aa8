/**
 * Measures page performance in a real browser on the installed studio: `node bench/compiled.mjs pages [RUNS 400]
 * [ITERATIONS 2000] [TABLE_RUNS 10000] [TIMES 5]` For every page with a sweep of RUNS runs: JavaScript size, largest
 * contentful paint, layout shift, longest task, and input to next paint, as medians of several visits with an empty
 * cache; and the processor time of the studio and PostgreSQL at the first visit and the next ones. Then the same for the table of runs, with TABLE_RUNS further runs.
 */
import { loadavg } from "node:os";
import type { Page } from "@playwright/test";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import type { Database } from "#server/db/storage/client.ts";
import { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { methodNames, methods } from "#trainer/spec/method.ts";
import { metrics } from "#trainer/spec/metric.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { tasksOf, traced, type Visit, type Visited, visitPage } from "./visitPage.ts";
import { medianOf } from "#trainer/spec/averages.ts";
import { onThrowawayDatabase, type Opener, openStudio, print, readNumbers } from "./throwaway.ts";

type Synthetic = {
  sweepId: string;
  numRuns: number;
  numCells: number;
  keys: readonly string[];
  /** Number of points of each metric. */
  numPoints: number;
};

const program = { specHash: "", code: "", host: "bench", pid: 1, numParameters: 1, vocabularySize: 1 };
const started = { v: 1, seq: 0, atMs: 0, type: "started", ...program, firstIteration: 1 };

/**
 * Inserts finished runs of ten methods at many learning rates, with compacted points. The points are equal at each
 * call.
 */
async function fillRuns({ pool }: Database, { sweepId, numRuns, numCells, keys, numPoints }: Synthetic) {
  const ids = await makeMetricIds(pool)(keys);
  const name = `${numRuns} runs`;
  const plan = SweepPlan.parse({
    name,
    environments: [{ id: "sokoban" }],
    methods: methodNames.slice(0, 10),
    seeds: [0],
  });
  await pool.query("INSERT INTO sweep (id, name, plan, plan_hash) VALUES ($1, $2, $3, '')", [
    sweepId,
    name,
    JSON.stringify(plan),
  ]);
  await pool.query(
    `INSERT INTO cell (sweep_id, "index", method, label, spec, spec_hash)
     SELECT $6, * FROM unnest($1::int[], $2::text[], $3::text[], $4::jsonb[], $5::text[])`,
    [...columnsOfCells(numCells), sweepId],
  );
  await pool.query(
    `INSERT INTO run (id, sweep_id, cell_id, seed, status, reason, latest_iteration, started_at, ended_at)
     SELECT $3 || '-run' || i, $3, cell.id, i / $2::int, 'finished', 'completed', $4::int - 1, now() - interval '1 hour', now()
     FROM generate_series(0, $1::int - 1) AS i JOIN cell ON cell.sweep_id = $3 AND cell."index" = i % $2::int`,
    [numRuns, numCells, sweepId, numPoints],
  );
  await pool.query(
    `INSERT INTO attempt (run_id, number, job_id, node, folder, live, num_metric_lines, last_seq, started)
     SELECT id, 1, id || '.1', 'bench', '', false, $2, $2 - 1, $3 FROM run WHERE sweep_id = $1`,
    [sweepId, numPoints, JSON.stringify(started)],
  );
  // Each curve has a slope that differs per run and an oscillation that differs per metric.
  await pool.query(
    `INSERT INTO metric_block
       (attempt_id, metric_id, first_seq, last_seq, first_iteration, last_iteration, num_points, values)
     SELECT attempt.id, metric_id, low, high, low, high, high - low + 1, (
       SELECT string_agg(float8send(
         0.9 - 0.7 * exp(-i * (1 + attempt.id % 7) / $3::float8) + 0.05 * sin(i * (0.1 + metric_id * 0.01) + attempt.id)
       ), '') FROM generate_series(low, high) AS i
     )
     FROM attempt JOIN run ON run.id = attempt.run_id AND run.sweep_id = $1, unnest($2::int[]) AS metric_id,
       generate_series(0, $3::int - 1, 240) AS start, LATERAL (SELECT start AS low, least(start + 239, $3 - 1) AS high) AS span`,
    [sweepId, keys.map((key) => ids.get(key)), numPoints],
  );
}

function columnsOfCells(numCells: number) {
  const names = methodNames.slice(0, 10);
  const specs = Array.from({ length: numCells }, (_, i) => {
    const { aggregation, clipping, advantage, sampling } = methods[names[i % names.length] ?? "grpo"];
    const method = { aggregation, clipping, advantage, sampling };
    const optimizer = { learningRate: 1e-5 * (1 + (i % 200)) };
    return CellSpec.parse({ environment: { id: "sokoban" }, method, optimizer });
  });
  return [
    specs.map((_, i) => i),
    specs.map((_, i) => methods[names[i % names.length] ?? "grpo"].title),
    specs.map(({ optimizer }) => `learningRate ${optimizer.learningRate}`),
    specs.map((spec) => JSON.stringify(spec)),
    specs.map((_, i) => String(i)),
  ];
}

const filters = ["method:sapo", "method:sapo,rloo", "success>0.85", "lr<1e-4", "-method:grpo"];

/** Prints times of the run table: until the first rows, until filtered rows appear, and per frame while scrolling. */
async function measureRunTable({ browser, options }: Opener, numTimes: number): Promise<void> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const opening: number[] = [];
  for (let i = 0; i <= numTimes; i++) {
    const startMs = performance.now();
    await page.goto("/runs", { waitUntil: "commit", timeout: 60_000 });
    await page.getByRole("gridcell").first().waitFor();
    opening.push(performance.now() - startMs);
  }
  print("run table: first rows, first time", opening[0] ?? NaN, "ms");
  print(`run table: first rows, median of ${numTimes}`, medianOf(opening.slice(1)), "ms");
  const filtering: number[] = [];
  for (const filter of filters) filtering.push(await timeFilter(page, filter));
  print(`run table: filter to rows, median of ${filters.length}`, medianOf(filtering), "ms");
  print("run table: filter to rows, longest", Math.max(...filtering), "ms");
  await timeFilter(page, "");
  await browser.startTracing(page, { categories: traced });
  const frames = (await page.evaluate(scrollThrough)).toSorted((a, b) => a - b);
  const cpuMs = tasksOf(await browser.stopTracing()).reduce((sum, ms) => sum + ms, 0);
  print("run table: processor time of the page's thread a frame", cpuMs / frames.length, "ms");
  print("run table: a frame while scrolling, median", medianOf(frames), "ms");
  print("run table: a frame while scrolling, 95 of 100 within", frames[Math.floor(0.95 * frames.length)] ?? NaN, "ms");
  print("run table: frames a second", (1000 * frames.length) / frames.reduce((sum, ms) => sum + ms, 0), "");
  await context.close();
}

/**
 * Returns the milliseconds from the key press in the filter to the frame with the number of matching runs. Throws
 * after ten seconds.
 */
async function timeFilter(page: Page, filter: string): Promise<number> {
  await page.waitForTimeout(500);
  await page.evaluate(watchCount);
  await page.getByRole("combobox", { name: "Filter runs" }).fill(filter);
  return page.evaluate(() => (globalThis as unknown as { changed: Promise<number> }).changed);
}

/**
 * Measures in the page the milliseconds from the next input to a changed number of matching runs. The number may
 * disappear while a response is pending.
 */
function watchCount(): void {
  const countOf = () => document.querySelector("#content p[role=status]")?.textContent;
  const before = countOf();
  const changed = new Promise<number>((resolve, reject) => {
    let startMs: number | undefined;
    const look = () => {
      const now = countOf();
      const waitedMs = performance.now() - (startMs ?? performance.now());
      if (now !== undefined && now !== before) resolve(waitedMs);
      else if (waitedMs > 10_000) reject(new Error(`the count is still ${now} after 10 s`));
      else requestAnimationFrame(look);
    };
    const start = ({ timeStamp }: Event) => {
      startMs = timeStamp;
      look();
    };
    document.addEventListener("input", start, { once: true, capture: true });
  });
  Object.assign(globalThis, { changed });
}

/** Scrolls the run table 300 times by 120 pixels, once per frame; returns the milliseconds of each frame. */
async function scrollThrough(): Promise<number[]> {
  const grid = document.querySelector("[role=grid]");
  const frames: number[] = [];
  let beforeMs = await new Promise<number>(requestAnimationFrame);
  for (let i = 0; i < 300; i++) {
    grid?.scrollBy(0, 120);
    const nowMs = await new Promise<number>(requestAnimationFrame);
    frames.push(nowMs - beforeMs);
    beforeMs = nowMs;
  }
  return frames;
}

const [numRuns = 0, numIterations = 0, numTableRuns = 0, numTimes = 0] = readNumbers([400, 2000, 10_000, 5]);
const shown = ["evaluation/successRate", "rollout/successRate", "policy/klReference", "update/gradientNorm"];
const keys = [...new Set([...shown, "policy/entropy", "loss/policy", ...Object.keys(metrics)])].slice(0, 12);
const budget = {
  firstKb: 250,
  totalKb: 250,
  lcpMs: 1500,
  cls: 0.02,
  longestTaskMs: 200,
  longestTaskCpuMs: 200,
  inputMs: 100,
} as const;

const isHeaded = (page: Page) => page.getByRole("heading", { level: 1 }).first().waitFor();
const isDrawn = (page: Page) => page.locator("svg.recharts-surface").first().waitFor();
const openPalette = (page: Page) => page.keyboard.press("Control+k");
/** Moves the pointer over a chart; the cursors of all charts of the page follow. */
const moveCursor = async (page: Page) => {
  await page.getByRole("slider").first().focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
};
const click = (role: "link" | "button" | "checkbox", name: string | RegExp) => (page: Page) =>
  page.getByRole(role, { name }).first().click();
const type = (label: string, text: string) => (page: Page) => page.getByLabel(label).first().pressSequentially(text);

const ids = { sweep: "bench", runs: "bench-run0,bench-run1,bench-run2,bench-run3" };
const pages: Visited[] = [
  { path: "/sweeps", isReady: isHeaded, interact: openPalette },
  { path: `/sweeps/${ids.sweep}`, isReady: isDrawn, interact: moveCursor },
  { path: "/sweeps/new", isReady: isHeaded, interact: type("Name", "abc") },
  {
    path: "/runs",
    isReady: (page) => page.getByRole("gridcell").first().waitFor(),
    interact: type("Filter runs", "lr"),
  },
  { path: "/runs/bench-run0", isReady: isDrawn, interact: moveCursor },
  { path: `/analysis/compare?sweep=${ids.sweep}`, isReady: isDrawn, interact: moveCursor },
  { path: `/analysis/compare?runs=${ids.runs}`, isReady: isDrawn, interact: moveCursor },
  { path: `/analysis/stability?sweep=${ids.sweep}`, isReady: isHeaded, interact: click("link", "Survival") },
  { path: `/analysis/stability/survival?sweep=${ids.sweep}`, isReady: isHeaded, interact: click("link", "Overview") },
  { path: `/analysis/effects/hyperparameters?sweep=${ids.sweep}`, isReady: isHeaded, interact: moveCursor },
  { path: `/publish/tables?sweep=${ids.sweep}`, isReady: isHeaded, interact: click("checkbox", /./) },
  { path: "/publish/reports", isReady: isHeaded, interact: openPalette },
  { path: "/environments?environment=sokoban", isReady: isHeaded, interact: click("button", "ALFWorld") },
  { path: "/fleet/nodes", isReady: isHeaded, interact: openPalette },
  { path: `/analysis/claims/figure3?sweep=${ids.sweep}`, isReady: isDrawn, interact: moveCursor },
];

await onThrowawayDatabase({ isDurable: true }, async (database, stopwatch, url) => {
  const loading = stopwatch();
  await fillRuns(database, { sweepId: ids.sweep, numRuns, numCells: 40, keys, numPoints: numIterations });
  await fillRuns(database, { sweepId: "table", numRuns: numTableRuns, numCells: 2000, keys, numPoints: 41 });
  while (await summariseRuns(database.pool, 200));
  await database.pool.query("ANALYZE");
  console.log(`loaded in ${loading().wall.toFixed(0)} s`);
  await openStudio({ database, url }, async (opener) => {
    const seconds = await waitForDetector(database, numRuns + numTableRuns);
    console.log(`detector done after ${seconds.toFixed(0)} s`);
    const idle = await measureIdle(opener);
    print("processor time without visits, of a core", 100 * idle, "%");
    const serving = ["1st serve", "serve ms", "least"];
    printRow("page", [
      "first kB",
      "all kB",
      "1st LCP",
      "LCP ms",
      "CLS",
      "task ms",
      "its CPU",
      "input ms",
      "its task",
      ...serving,
    ]);
    for (const page of pages)
      await reportPage(opener, page, idle).catch((error: unknown) => console.log(`${page.path}: ${String(error)}`));
    await measureRunTable(opener, numTimes);
  });
});

/** Waits until the detector has processed the runs, as its work slows down the pages; returns the seconds that took. */
async function waitForDetector({ pool }: Database, numDetected: number): Promise<number> {
  const startMs = performance.now();
  const isDone = async () => {
    const { rows } = await pool.query<{ num: number }>("SELECT count(*)::int AS num FROM detection");
    return (rows[0]?.num ?? 0) >= numDetected;
  };
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 1000));
  return (performance.now() - startMs) / 1000;
}

/** CPU time of the studio and PostgreSQL per time, while nobody visits: the orchestrator's ticks. */
async function measureIdle({ readCpu }: Opener): Promise<number> {
  const [startMs, start] = [performance.now(), readCpu()];
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  return (1000 * (readCpu() - start)) / (performance.now() - startMs);
}

/**
 * Visits a page several times and prints the first visit's paint and the medians of the later ones; a star marks a
 * value that exceeds its budget.
 */
async function reportPage(opener: Opener, page: Visited, idle: number): Promise<void> {
  const first = await visitPage(opener, page, idle);
  const visits: Visit[] = [];
  for (let i = 1; i < numTimes; i++) visits.push(await visitPage(opener, page, idle));
  const cell = (key: keyof typeof budget, digits = 0) => {
    const value = medianOf(visits.map((visit) => visit[key]));
    return `${value.toFixed(digits)}${value > budget[key] ? "*" : ""}`;
  };
  const after = medianOf(visits.map(({ longestTaskAfterInputMs }) => longestTaskAfterInputMs)).toFixed(0);
  const cells = [
    cell("firstKb"),
    cell("totalKb"),
    first.lcpMs.toFixed(0),
    cell("lcpMs"),
    cell("cls", 3),
    cell("longestTaskMs"),
    cell("longestTaskCpuMs"),
  ];
  const serving = visits.map(({ serverCpuMs }) => serverCpuMs);
  const served = [first.serverCpuMs, medianOf(serving), Math.min(...serving)].map((ms) => ms.toFixed(0));
  printRow(page.path, [...cells, cell("inputMs"), after, ...served, `load ${loadavg()[0]?.toFixed(0)}`]);
}

function printRow(name: string, cells: readonly string[]): void {
  console.log([name.padEnd(62), ...cells.map((text) => text.padStart(8))].join(" "));
}
