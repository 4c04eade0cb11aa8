import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import { fillBuilder, launch, tinyBudget } from "./stack/buildSweep.ts";
import { openPage } from "./stack/openPage.ts";
import { runCli } from "./stack/runCli.ts";
import { type LoggedRun, readLogs } from "./stack/readLogs.ts";
import { test } from "./stack/test.ts";

test.setTimeout(600_000);

test("a sweep built by clicking trains, shows itself live, and ends in a table equal to its logs", async ({
  page,
  studio,
}) => {
  await fillBuilder(page, { name: "By clicking", methods: ["GRPO", "GSPO"], seeds: "0-2", fields: tinyBudget });
  const sweepId = await launch(page, 6);

  await expect(page.getByRole("heading", { level: 1, name: "By clicking" })).toBeVisible();
  await watchTiles(page);
  await expect(page.getByRole("link", { name: /^Seed \d: (Finished|Completed)/ })).toHaveCount(6, { timeout: 400_000 });
  const seen = await readTiles(page);
  // The page was never reloaded: a mark set at its start is still there, and the page has seen the runs change.
  expect([...new Set(seen.map(({ state }) => state))]).toEqual(expect.arrayContaining(["Pending", "Running"]));
  for (const { iterations } of byTile(seen)) {
    expect(iterations).toEqual(iterations.toSorted((a, b) => a - b));
    expect(iterations.at(-1)).toBe(6);
  }
  expect(new Set(seen.map(({ iteration }) => iteration)).size).toBeGreaterThan(3);
  const drawn = await readChart(page);
  expect(drawn.length).toBeGreaterThan(2);
  expect(drawn.at(-1)).toBe(6);

  const runs = await readLogs(studio.home, sweepId);
  expect(runs).toHaveLength(6);
  await readRunPage(page, `/runs/${sweepId}-c0-s0`);
  await openPage(page, `/sweeps/${sweepId}`);
  await page.getByRole("link", { name: "Compare", exact: true }).last().click();
  await page.waitForURL(/\/compare\?sweep=/);
  await page.getByRole("button", { name: "Export" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  const compared = await readFile(await (await download).path(), "utf8");
  const all = await runCli(studio.home, ["analyse", "before-after", sweepId, "--format", "latex"]);
  for (const method of ["GRPO", "GSPO"]) {
    const own = runs.filter((run) => run.method === method);
    expect(own).toHaveLength(3);
    const numbers = numbersOf(cellsOf(all.stdout, method).slice(-3));
    expect(numbers.map(Number)).toEqual(
      toRounded(
        numbers,
        columns.flatMap((column) => expectedNumbers(own, column)),
      ),
    );
    const finals = numbersOf(cellsOf(compared, method).slice(2, 3));
    expect(finals.map(Number)).toEqual(toRounded(finals, expectedNumbers(own, finalWindow)));
  }
});

/** Returns the cells of a method's row in a LaTeX table. */
function cellsOf(latex: string, method: string): string[] {
  expect(latex).toContain("\\begin{tabular}");
  const row = latex.split("\n").find((line) => line.startsWith(`${method} &`)) ?? "";
  return row.replaceAll(/\\(textbf|underline)\{([\d.]+)\}/g, "$2").split("&");
}

/**
 * Matches numbers as printed: with one decimal, or none for the ends of a wide interval. A value halfway between two
 * may be rounded either way.
 */
function toRounded(printed: readonly string[], expected: readonly number[]): unknown[] {
  return expected.map((x, i) => {
    const tolerance = printed[i]?.includes(".") === true ? 0.0501 : 0.501;
    return Math.abs(Number(printed[i]) - x) < tolerance ? Number(printed[i]) : x;
  });
}

/** Checks a run's charts of strata and turns, an episode turn by turn, and the trained policy as a file. */
async function readRunPage(page: Page, path: string): Promise<void> {
  await openPage(page, path);
  await page.getByRole("button", { name: /^Strata/ }).click();
  for (const name of ["Tokens by stratum", "KL to reference by turn"]) {
    await page.getByRole("button", { name: `Options of ${name}`, exact: true }).click();
    await expect(page.getByRole("figure", { name, exact: true }).locator("table tbody tr").first()).toBeAttached();
    await page.keyboard.press("Escape");
  }
  await page.getByRole("searchbox", { name: "Find a metric" }).fill("padding");
  await expect(page.getByRole("figure")).toHaveCount(1);

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Files of the run" }).click();
  await page.getByRole("link", { name: /^policy.onnx/ }).click();
  expect((await readFile(await (await download).path())).length).toBeGreaterThan(100_000);

  await page.getByRole("tab", { name: "Episodes" }).click();
  await page.getByRole("combobox", { name: "Iteration" }).selectOption("2");
  await page.getByRole("navigation", { name: "Choose an episode" }).getByRole("button").nth(1).click();
  await expect(page.getByRole("list", { name: "Response of turn 1", exact: true })).toContainText("<action>");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("list", { name: "Response of turn 2", exact: true })).toContainText("<action>");
  await page.getByRole("radio", { name: "Entropy" }).check();
  // Content that loads above the token moves it away from the resting mouse, so the hover is repeated.
  await expect(async () => {
    await page.mouse.move(0, 0);
    await page.getByRole("button", { name: "<action>" }).first().hover();
    await expect(page.getByText(/log p = .* nats, entropy .* nats/)).toBeVisible({ timeout: 3_000 });
  }).toPass({ timeout: 45_000 });
  const numShown = async (outcome: string): Promise<number> => {
    await page.getByRole("radio", { name: outcome, exact: true }).check();
    return parseInt(await page.getByRole("region", { name: "Episodes" }).getByRole("status").innerText(), 10);
  };
  const [all, solved, failed] = [await numShown("Any outcome"), await numShown("Solved"), await numShown("Not solved")];
  expect(all).toBeGreaterThan(1);
  expect(solved + failed).toBe(all);
  await page.getByRole("radio", { name: "Any outcome", exact: true }).check();
  await playOn(page);
}

/** Checks that the policy continues from a turn of an episode; its probabilities of the four actions sum to 1. */
async function playOn(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Play on from this turn" }).click();
  await expect(page.getByRole("list", { name: "Proposed response" })).toContainText("<");
  await page.getByRole("radio", { name: "Greedy" }).check();
  const shares = page.getByRole("list", { name: "Action probabilities" }).getByRole("listitem");
  await expect(shares).toHaveCount(4);
  const percents = (await shares.allInnerTexts()).map((text) => Number(/([\d.]+) %/.exec(text)?.[1] ?? NaN));
  expect(percents.reduce((sum, x) => sum + x, 0)).toBeCloseTo(100, 0);
  const turns = page.getByRole("list", { name: "Turns" }).getByRole("listitem");
  const before = await turns.count();
  await page.getByRole("button", { name: "Take this move" }).click();
  await expect(turns).toHaveCount(before + 1);
}

type Tile = { id: string; state: string; iteration: number };

/** Records in the page every state that the runs' tiles show, and every last iteration of the first chart. */
async function watchTiles(page: Page): Promise<void> {
  await expect(page.getByRole("link", { name: /^Seed / })).toHaveCount(6);
  // The chart's menu shows the last values as text.
  await page.getByRole("button", { name: "Options of Success rate", exact: true }).click();
  await page.evaluate(() => {
    const tiles: string[] = [];
    const ends: number[] = [];
    Object.assign(window, { seenTiles: tiles, seenEnds: ends });
    const note = () => {
      for (const tile of document.querySelectorAll('a[aria-label^="Seed "]')) {
        const line = `${tile.getAttribute("href")}|${tile.getAttribute("aria-label")}`;
        if (!tiles.includes(line)) tiles.push(line);
      }
      const rows = document.querySelectorAll('figure[aria-label="Success rate"] table tbody tr td:last-child');
      const end = Math.max(...Array.from(rows, (cell) => Number(cell.textContent)), -1);
      if (ends.at(-1) !== end) ends.push(end);
    };
    note();
    new MutationObserver(note).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
      attributeFilter: ["aria-label"],
    });
  });
}

async function readTiles(page: Page): Promise<Tile[]> {
  const lines = await page.evaluate((): string[] => Object(window).seenTiles);
  return lines.map((line) => {
    const [, id = "", state = "", iteration = ""] = /^(.*)\|Seed \d+: (.*), iteration (\d+) of 6/.exec(line) ?? [];
    return { id, state, iteration: Number(iteration) };
  });
}

/** Returns the last iterations drawn in the success rate's chart, one per change. */
function readChart(page: Page): Promise<number[]> {
  return page.evaluate((): number[] => Object(window).seenEnds);
}

function byTile(tiles: readonly Tile[]): { iterations: number[] }[] {
  return [...new Set(tiles.map(({ id }) => id))].map((id) => ({
    iterations: tiles.filter((tile) => tile.id === id).map(({ iteration }) => iteration),
  }));
}

/** Returns the numbers of cells, each a mean with its interval, in percent. */
function numbersOf(cells: readonly string[]): string[] {
  return cells.flatMap((cell) => cell.match(/\d+(\.\d+)?/g) ?? []);
}

type Column = (curve: number[]) => number;
const finalWindow: Column = ([, ...trained]) => average(trained.slice(-3));
/** Columns of the table Before and after: before RL, final window and best. */
const columns: Column[] = [([first = Number.NaN]) => first, finalWindow, ([, ...trained]) => Math.max(...trained)];

// Computes the expected numbers of a column from the logs, by the caption's definition and without the product's
// code.
function expectedNumbers(runs: readonly LoggedRun[], column: Column): number[] {
  const values = runs.map(({ points }) => column(successRates(points)));
  const mean = average(values);
  // If all seeds are identical, the mean has no interval.
  if (values.every((x) => x === values[0])) return [100 * mean];
  const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (values.length - 1);
  // Student's t with two degrees of freedom.
  const halfWidth = 4.30265273 * Math.sqrt(variance / values.length);
  return [mean, Math.max(0, mean - halfWidth), Math.min(1, mean + halfWidth)].map((x) => 100 * x);
}

function successRates(points: LoggedRun["points"]): number[] {
  const own = points.filter(({ key }) => key === "evaluation/successRate");
  expect(own.map(({ iteration }) => iteration)).toEqual([0, 2, 4, 6]);
  return own.map(({ value }) => value);
}

function average(values: readonly number[]): number {
  return values.reduce((sum, x) => sum + x, 0) / values.length;
}
