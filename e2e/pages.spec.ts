import { expect, type Locator, type Page } from "@playwright/test";
import { checkOpened, findProblems } from "./stack/accessibility.ts";
import { fillBuilder, launch, tinyBudget } from "./stack/buildSweep.ts";
import { openPage } from "./stack/openPage.ts";
import { test } from "./stack/test.ts";
import { untilDrawn } from "./stack/untilDrawn.ts";

/** Pictures of every page for people to look at, in `test-results`: nothing compares them, and they take longer than the checks. */
const hasScreenshots = process.env["ARLARENA_SCREENSHOTS"] !== undefined;

test("every page fits both screens in both themes, is accessible by axe, and logs no error", async ({
  page,
}, testInfo) => {
  test.setTimeout(900_000);
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

  const paths = {
    sweeps: "/sweeps",
    builder: "/sweeps/new?preset=four-dimensions",
    sweep: `/sweeps/${sweepId}`,
    table: `/sweeps/${sweepId}?tab=table`,
    plan: `/sweeps/${sweepId}?tab=plan`,
    runs: "/runs",
    reports: "/reports",
    groupedRuns: "/runs?by=method,environment",
    compare: `/compare?sweep=${sweepId}`,
    compareRuns: `/compare?runs=${sweepId}-c0-s0,${sweepId}-c1-s0`,
    hyperparameters: `/hyperparameters?sweep=${sweepId}`,
    run: run ?? "",
    samples: `${run}?tab=samples`,
    play: `${run}?tab=play`,
    environments: "/environments?environment=sokoban",
    nodes: "/nodes",
    alerts: "/alerts",
    tables: `/tables?sweep=${sweepId}`,
    stability: `/stability?sweep=${sweepId}`,
    survival: `/stability?sweep=${sweepId}&tab=survival`,
    detectors: `/stability?sweep=${sweepId}&tab=detectors`,
    dimensions: `/stability?sweep=${sweepId}&tab=dimensions`,
    phases: `/stability?sweep=${sweepId}&tab=phases`,
    replay: `/stability?sweep=${sweepId}&tab=replay`,
    findings: `/stability?sweep=${sweepId}&tab=findings`,
    signIn: "/sign-in",
  };
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 }), name).toHaveCount(1);
      await untilDrawn(page);
      expect(await findProblems(page), `${name} at ${width} px`).toEqual([]);
      if (hasScreenshots) await takePictures(page, (theme) => testInfo.outputPath(`${name}-${width}-${theme}.png`));
    }
    await checkWhatOpens(page, sweepId);
  }
  expect(problems).toEqual([]);
});

test("an address that leads nowhere says so", async ({ page }) => {
  for (const path of ["/nowhere", "/sweeps/no-such-sweep", "/runs/no-such-run"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toContainText(/found|nothing|no such/i);
  }
});

/** One of each kind that opens: menu, panel of a figure, dialog, palette, and the editor with its completion. */
async function checkWhatOpens(page: Page, sweepId: string): Promise<void> {
  const opened = page.locator("[popover]:popover-open, dialog[open]");
  const check = (opener: Locator, content: Locator) => checkOpened(page, { opener, content, panel: opened });
  await openPage(page, `/sweeps/${sweepId}`);
  await check(
    page.getByRole("button", { name: "More actions" }),
    opened.getByRole("link", { name: "Hyperparameters" }),
  );
  await check(
    page.getByRole("button", { name: /^Options of Success/ }).first(),
    opened.getByRole("button", { name: /CSV$/ }),
  );
  await check(page.getByRole("button", { name: /^Search and commands/ }), opened.getByRole("option").first());
  await openPage(page, "/runs");
  await expect(page.getByRole("gridcell").first()).toBeVisible();
  await check(page.getByRole("button", { name: "Columns" }), opened.getByRole("list", { name: /^Columns shown/ }));
  await openPage(page, "/sweeps/new");
  await page.getByRole("tab", { name: "YAML" }).click();
  await page.getByRole("textbox", { name: "Sweep as YAML" }).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Space");
  await expect(page.getByRole("listbox").getByRole("option").first()).toBeVisible();
  expect(await findProblems(page)).toEqual([]);
}

async function takePictures(page: Page, fileOf: (theme: string) => string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: fileOf(colorScheme), fullPage: true });
  }
}
