import { readdirSync } from "node:fs";
import { expect, type Locator, type Page } from "@playwright/test";
import { checkOpened, findProblems, findProblemsIn } from "./stack/accessibility.ts";
import { fillBuilder, launch, openSection, tinyBudget } from "./stack/buildSweep.ts";
import { test } from "./stack/test.ts";
import { untilDrawn } from "./stack/untilDrawn.ts";
import { isSoak } from "#server/testing/soak.ts";

/**
 * True if the test takes screenshots of every page for people, in `test-results`. No test compares them, and they
 * take long.
 */
const hasScreenshots = process.env["ARLARENA_SCREENSHOTS"] !== undefined;

/** `npm test` checks every page on a phone in the light theme, `npm run soak` all else. */
const inBoth = { tag: isSoak ? [] : "@flow" };

test("every page fits its screen, is accessible by axe, and logs no error", inBoth, async ({ page }, testInfo) => {
  test.setTimeout(isSoak ? 3_000_000 : 1_200_000);
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`${page.url()}: ${error.message}`));

  await fillBuilder(page, {
    name: "For the pages",
    methods: ["GRPO", "SAMPO"],
    seeds: "0",
    fields: { ...tinyBudget, Iterations: "2", "Evaluate every (iterations)": "1", "Demonstration episodes": "20" },
  });
  const sweepId = await launch(page, 2);
  const tiles = page.getByRole("link", { name: /^Seed \d: Completed|^Seed \d: Finished/ });
  await expect(tiles).toHaveCount(2, { timeout: 300_000 });
  const run = await tiles.first().getAttribute("href");

  const searchId = await launchSearch(page);
  await page.goto("/publish/reports");
  await page.getByRole("button", { name: "New report" }).click();
  await page.waitForURL(/\/reports\/[^/?]+/);
  const report = new URL(page.url()).pathname;
  const paths = {
    sweeps: "/sweeps",
    builder: "/sweeps/new?preset=four-dimensions",
    sweep: `/sweeps/${sweepId}`,
    table: `/sweeps/${sweepId}?tab=table`,
    plan: `/sweeps/${sweepId}?tab=plan`,
    search: `/sweeps/${searchId}?tab=search`,
    runs: "/runs",
    reports: "/publish/reports",
    report,
    groupedRuns: "/runs?by=method,environment",
    compare: `/analysis/compare?sweep=${sweepId}`,
    compareRuns: `/analysis/compare?runs=${sweepId}-c0-s0,${sweepId}-c1-s0`,
    hyperparameters: `/analysis/effects/hyperparameters?sweep=${sweepId}`,
    run: run ?? "",
    episodes: `${run}?tab=episodes`,
    groups: `${run}?tab=groups`,
    play: `${run}?tab=play`,
    runDetails: `${run}?tab=details`,
    runStability: `${run}?tab=stability`,
    people: "/people",
    figures: "/developers/figures",
    survivalFigure: `/developers/figures/survival?sweep=${sweepId}`,
    figure: `/analysis/claims/figure3?sweep=${sweepId}`,
    invitation: "/invitation?token=unknown",
    environments: "/environments?environment=sokoban",
    nodes: "/fleet/nodes",
    alerts: "/fleet/alerts",
    cost: "/fleet/cost",
    changes: "/people/changes",
    tables: `/publish/tables?sweep=${sweepId}`,
    stability: `/analysis/stability?sweep=${sweepId}`,
    survival: `/analysis/stability/survival?sweep=${sweepId}`,
    transfer: `/analysis/transfer?sweep=${sweepId}`,
    rescue: `/analysis/rescue?sweep=${sweepId}`,
    behaviour: `/analysis/behaviour?sweep=${sweepId}`,
    warning: `/analysis/stability/warning?sweep=${sweepId}`,
    dimensions: `/analysis/effects/dimensions?sweep=${sweepId}`,
    phases: `/analysis/effects/phases?sweep=${sweepId}`,
    queue: "/fleet/queue",
    links: "/publish/links",
    tokens: "/people/tokens",
    claims: `/analysis/claims?sweep=${sweepId}`,
    signIn: "/sign-in",
  };
  expect(listRoutes().filter((route) => !Object.values(paths).some((path) => isOf(route, path)))).toEqual([]);
  const phone = { width: 390, height: 844 };
  for (const size of isSoak ? [{ width: 1440, height: 900 }, phone] : [phone]) {
    await page.setViewportSize(size);
    for (const [name, path] of Object.entries(paths)) {
      const check = async (): Promise<void> => {
        await page.goto(path);
        await expect(page.getByRole("heading", { level: 1 }), name).toHaveCount(1);
        await untilDrawn(page);
        const found = size === phone ? findProblemsIn(isSoak ? "dark" : "light", page) : findProblems(page);
        expect(await found, `${name} at ${size.width} px`).toEqual([]);
        if (hasScreenshots)
          await takePictures(page, (theme) => testInfo.outputPath(`${name}-${size.width}-${theme}.png`));
        await openers[name]?.(page);
      };
      // A limit per page names the page that hangs.
      await test.step(`${name} at ${size.width} px`, check, { timeout: 300_000 });
    }
  }
  expect(problems).toEqual([]);
});

/** Routes that show nothing of their own: the first page leads to the sweeps, and people.spec checks shared links. */
const elsewhere = ["", "/shared/[linkId]"];

/** Lists the app's routes, such as `/runs/[runId]`, by their files. */
function listRoutes(): string[] {
  return readdirSync("app", { recursive: true, encoding: "utf8" })
    .flatMap((file) => /^(.*?)\/?page\.tsx$/.exec(`/${file}`)?.[1] ?? [])
    .filter((route) => !elsewhere.includes(route));
}

/** True if the path is of the route: both have the same parts, except those in brackets. */
function isOf(route: string, path: string): boolean {
  const [parts, given] = [route, path.split("?")[0] ?? ""].map((text) => text.split("/"));
  return (
    parts?.length === given?.length && parts?.every((part, i) => part.startsWith("[") || part === given?.[i]) === true
  );
}

/** Launches a small search from its YAML and returns the sweep's id. */
async function launchSearch(page: Page): Promise<string> {
  await page.goto("/sweeps/new");
  await page.getByRole("tab", { name: "YAML" }).click();
  await page.getByRole("textbox", { name: "Sweep as YAML" }).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(`name: A small search
methods: [grpo]
environments: [{ id: sokoban }]
base: { budget: { iterations: 1 }, initialisation: { kind: demonstrations, numEpisodes: 5, epochs: 1 } }
search:
  sampler: { kind: random }
  space: { update.klCoef: { kind: uniform, low: 0, high: 0.2 } }
  objective: { metric: evaluation/successRate, goal: maximize }
  trials: 2
  parallel: 2
seeds: [0]
`);
  await page.getByRole("button", { name: /^Launch up to 2 runs$/ }).click();
  await page.waitForURL(/\/sweeps\/(?!new)[^/]+$/);
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

test("an address that leads nowhere says so", async ({ page }) => {
  for (const path of ["/nowhere", "/sweeps/no-such-sweep", "/runs/no-such-run"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toContainText(/found|nothing|no such/i);
  }
});

/** Functions that open dialogs, menus and panels on a page, one of each kind, by page. */
const openers: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  sweep: openOnSweep,
  runs: openOnRuns,
  environments: openOnEnvironments,
  builder: openOnBuilder,
};

/** Checks the panel that a button opens. It must contain an element of the given role and name. */
function checkOpener(page: Page, opener: Locator, ...content: Parameters<Locator["getByRole"]>): Promise<void> {
  const panel = page.locator("[popover]:popover-open, dialog[open]");
  return checkOpened(page, { opener, panel, content: panel.getByRole(...content).first() });
}

/** Opens and checks a menu, a figure's panel, the figure in full screen, and the command palette. */
async function openOnSweep(page: Page): Promise<void> {
  const options = page.getByRole("button", { name: /^Options of Success/ }).first();
  await checkOpener(page, page.getByRole("button", { name: "More actions" }), "button", { name: "Make a report" });
  await checkOpener(page, options, "button", { name: /CSV$/ });
  await options.click();
  await page.getByRole("button", { name: "Full screen" }).click();
  await expect(page.locator(":fullscreen")).toBeVisible();
  expect(await findProblems(page, ":fullscreen")).toEqual([]);
  await page.evaluate(() => document.exitFullscreen());
  await expect(page.locator(":fullscreen")).toHaveCount(0);
  await checkOpener(page, page.getByRole("button", { name: /^Search and commands/ }), "option");
}

/** Opens and checks a dialog, and the help for keyboard shortcuts. */
async function openOnRuns(page: Page): Promise<void> {
  await expect(page.getByRole("gridcell").first()).toBeVisible();
  await checkOpener(page, page.getByRole("button", { name: "Columns" }), "list", { name: /^Columns shown/ });
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(help).toBeVisible();
  expect(await findProblems(page, "dialog[open]")).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(help).toBeHidden();
}

/** Opens and checks a hint, which has no controls, so the focus stays. */
async function openOnEnvironments(page: Page): Promise<void> {
  const about = page.getByRole("button", { name: /^About / }).first();
  const hint = page.locator("[popover]:popover-open");
  await about.focus();
  await page.keyboard.press("Enter");
  await expect(hint).toBeVisible();
  expect(await findProblems(page, "[popover]:popover-open")).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(hint).toBeHidden();
}

/**
 * Opens and checks the form for an off-policy correction, and the YAML editor with completion. Afterwards it restores
 * the stored draft and tab.
 */
async function openOnBuilder(page: Page): Promise<void> {
  await openSection(page, "Four dimensions of methods");
  const remove = page.getByRole("button", { name: "Remove the correction" });
  await page.getByRole("button", { name: "Add a correction" }).click();
  await expect(remove).toBeVisible();
  expect(await findProblems(page, "fieldset")).toEqual([]);
  await remove.click();
  await page.getByRole("tab", { name: "YAML" }).click();
  await page.getByRole("textbox", { name: "Sweep as YAML" }).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Space");
  await expect(page.getByRole("listbox").getByRole("option").first()).toBeVisible();
  expect(await findProblems(page)).toEqual([]);
  await page.getByRole("tab", { name: "Form" }).click();
  for (const title of [
    "Environment settings",
    "Policy",
    "Hyperparameters",
    "Hyperparameter search",
    "Placement, early stopping and rescue",
  ]) {
    await openSection(page, title);
  }
  expect(await findProblems(page)).toEqual([]);
}

async function takePictures(page: Page, fileOf: (theme: string) => string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: fileOf(colorScheme), fullPage: true });
  }
}
