import { expect, type Page } from "@playwright/test";
import { fillBuilder, launch, tinyBudget } from "./stack/buildSweep.ts";
import { test } from "./stack/test.ts";

/** Pictures of every page for people to look at, in `test-results`: nothing compares them, and they take longer than the checks. */
const hasScreenshots = process.env["ARLARENA_SCREENSHOTS"] !== undefined;

test("every page fits both screens in both themes, names its controls, and logs no error", async ({
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
    groupedRuns: "/runs?by=method,environment",
    compare: `/compare?sweep=${sweepId}`,
    hyperparameters: `/hyperparameters?sweep=${sweepId}`,
    run: run ?? "",
    samples: `${run}?tab=samples`,
    play: `${run}?tab=play`,
    environments: "/environments?environment=sokoban",
    nodes: "/nodes",
    tables: `/tables?sweep=${sweepId}`,
    stability: `/stability?sweep=${sweepId}`,
    survival: `/stability?sweep=${sweepId}&tab=survival`,
    detectors: `/stability?sweep=${sweepId}&tab=detectors`,
    dimensions: `/stability?sweep=${sweepId}&tab=dimensions`,
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
      expect(await unnamedControls(page), `${name} at ${width} px`).toEqual([]);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await overflowOf(page), `${name} at ${width} px, ${colorScheme}`).toBe(0);
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

/** Controls that a screen reader could not name. */
function unnamedControls(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isLabelled = (control: Element) =>
      (control.getAttribute("aria-label") ?? "") !== "" ||
      control.hasAttribute("aria-labelledby") ||
      ("labels" in control && control.labels instanceof NodeList && control.labels.length > 0);
    const hasText = (control: Element) =>
      control.matches("button, a, summary") && (control.textContent ?? "").trim() !== "";
    const controls = document.querySelectorAll("input:not([type=hidden]), select, textarea, button, a[href], summary");
    return Array.from(controls)
      .filter((control) => !isLabelled(control) && !hasText(control))
      .map((control) => control.outerHTML.slice(0, 160));
  });
}
