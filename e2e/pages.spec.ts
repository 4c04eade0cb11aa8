import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { fillBuilder, launch, tinyBudget } from "./stack/buildSweep.ts";
import { test } from "./stack/test.ts";

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
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const where = `${name} at ${width} px, ${colorScheme}`;
        expect(await overflowOf(page), where).toBe(0);
        expect(await listViolations(page), where).toEqual([]);
        const picture = testInfo.outputPath(`${name}-${width}-${colorScheme}.png`);
        if (hasScreenshots) await page.screenshot({ path: picture, fullPage: true });
      }
    }
  }
  expect(problems).toEqual([]);
});

test("an address that leads nowhere says so", async ({ page }) => {
  for (const path of ["/nowhere", "/sweeps/no-such-sweep", "/runs/no-such-run"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toContainText(/found|nothing|no such/i);
  }
});

/** Pixels that the page is wider than its window. */
function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
}

/** What axe has against the page as it stands, a line for each kind and first place. */
async function listViolations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}, ${nodes.length} times, first ${nodes[0]?.html.slice(0, 200)}`,
  );
}
