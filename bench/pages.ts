/**
 * Page performance in a real browser on the installed studio: `node bench/compiled.mjs pages [RUNS 400] [ITERATIONS
 * 2000] [TABLE_RUNS 10000] [TIMES 5]` For every page with a sweep of RUNS runs: JavaScript size, largest contentful
 * paint, layout shift, longest task, and input to next paint, as medians of several visits with an empty cache. Then
 * the table of runs with TABLE_RUNS more.
 */
import { loadavg } from "node:os";
import type { Page } from "@playwright/test";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { metrics } from "#trainer/spec/metric.ts";
import { openStudio, type Opener } from "./openStudio.ts";
import { measureRunTable } from "./runTablePage.ts";
import { fillRuns } from "./syntheticRuns.ts";
import { medianOf, onThrowawayDatabase, readNumbers } from "./throwaway.ts";
import { visitPage, type Visit, type Visited } from "./visitPage.ts";

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
/** Moves the pointer over a chart: all charts of the page follow. */
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
    printRow("page", ["first kB", "all kB", "LCP ms", "CLS", "task ms", "its CPU", "input ms", "its task"]);
    for (const page of pages)
      await reportPage(opener, page).catch((error: unknown) => console.log(`${page.path}: ${String(error)}`));
    await measureRunTable(opener, numTimes);
  });
});

/** Medians; a star marks a value over its budget. */
async function reportPage(opener: Opener, page: Visited): Promise<void> {
  const visits: Visit[] = [];
  for (let i = 0; i < numTimes; i++) visits.push(await visitPage(opener, page));
  const cell = (key: keyof typeof budget, digits = 0) => {
    const value = medianOf(visits.map((visit) => visit[key]));
    return `${value.toFixed(digits)}${value > budget[key] ? "*" : ""}`;
  };
  const after = medianOf(visits.map(({ longestTaskAfterInputMs }) => longestTaskAfterInputMs)).toFixed(0);
  const cells = [
    cell("firstKb"),
    cell("totalKb"),
    cell("lcpMs"),
    cell("cls", 3),
    cell("longestTaskMs"),
    cell("longestTaskCpuMs"),
  ];
  printRow(page.path, [...cells, cell("inputMs"), after, `load ${loadavg()[0]?.toFixed(0)}`]);
}

function printRow(name: string, cells: readonly string[]): void {
  console.log([name.padEnd(62), ...cells.map((text) => text.padStart(8))].join(" "));
}
