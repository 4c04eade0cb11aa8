import { expect, type Page } from "@playwright/test";
import { importRuns, type ForeignRun } from "./stack/foreignLogs.ts";
import { openPage, untilAlive } from "./stack/openPage.ts";
import { runCli, tinySweep } from "./stack/runCli.ts";
import { test } from "./stack/test.ts";

test.setTimeout(600_000);

/**
 * Makes the log of a run whose success rises; if it collapses, success is 0 from step 80 on, after gradients and KL
 * exploded.
 */
function log(method: string, seed: number, hasCollapsed: boolean): ForeignRun {
  const steps = Array.from({ length: 120 }, (_, i) => {
    const ripple = 0.02 * Math.sin(i * 1.7 + seed);
    const isIll = hasCollapsed && i >= 70;
    return {
      "episode/success_rate": hasCollapsed && i >= 80 ? 0.02 : Math.min(0.8, 0.2 + 0.01 * i) + ripple,
      "actor/grad_norm": (isIll ? 40 : 1) * (1 + ripple),
      "actor/kl_loss": isIll ? 2 + ripple : 0.01 + 0.0001 * i,
      "actor/entropy": isIll ? 3 : 0.4 + ripple,
    };
  });
  return { file: `${method}_sokoban_seed${seed}.jsonl`, steps };
}

/** Ten runs with five collapses, the minimum for which the page evaluates early warning. */
const runs = [0, 1, 2, 3, 4].flatMap((seed) => [log("gspo", seed, false), log("sapo", seed, true)]);

test(
  "a collapse is found, rung, replayed and judged, and its methods are compared",
  { tag: "@flow" },
  async ({ page, studio }) => {
    const sweepId = await importRuns(studio.home, "Collapsing", runs);
    await expect(async () => {
      await openPage(page, `/analysis/stability?sweep=${sweepId}`);
      await expect(page.getByRole("group", { name: /^Verdict on iteration/ }).first()).toBeVisible({ timeout: 20_000 });
    }).toPass({ timeout: 200_000 });

    await compareFacts(page, sweepId);
    await openPage(page, `/analysis/stability?sweep=${sweepId}`);
    const verdicts = page.getByRole("group", { name: /^Verdict on iteration/ });
    const confirm = verdicts.first().getByRole("button", { name: "Confirm" });
    await confirm.click();
    await expect(confirm).toHaveAttribute("aria-pressed", "true");
    await page.reload();
    await untilAlive(page);
    await expect(confirm).toHaveAttribute("aria-pressed", "true");

    const go = async (menu: string, name: string) => {
      await page.getByRole("navigation", { name: menu }).getByRole("link", { name, exact: true }).click();
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    };
    await go("Stability", "Survival");
    await expect(page.getByRole("figure").first()).toBeVisible();
    await expect(page.getByRole("row", { name: /SAPO/ }).first()).toContainText("5");
    await go("Stability", "Early warning");
    await expect(page.getByRole("table").first()).toContainText(/drawdown/i);
    await page.getByText("How this table was computed").first().click();
    await expect(page.getByText(/ignore the alarms that read success/)).toBeVisible();
    await page.getByRole("region", { name: "Runs with the clearest early signals" }).getByRole("link").first().click();
    await page.getByRole("heading", { name: "Replay" }).scrollIntoViewIfNeeded();
    await page.getByRole("radio", { name: "100×", exact: true }).check();
    const named = page.getByRole("list", { name: "States" });
    const slider = page.getByRole("slider", { name: "Iteration" });
    await slider.fill("10");
    await expect(named).not.toContainText("Unstable");
    await page.getByRole("button", { name: "Play" }).click();
    await expect(page.getByText("120 of 120", { exact: true })).toBeVisible();
    await expect(named).toContainText(/Unstable|Collapsed/);
    await openPage(page, `/analysis/claims?sweep=${sweepId}`);
    // The methods of imported runs are not known by their four dimensions, so their claims cannot be tested.
    await expect(page.getByText("26 claims without enough runs to compare")).toBeVisible();
    await expect(page.getByText("Masking stale sequences keeps SAPO and CISPO from collapsing.")).toBeVisible();
    await page.getByRole("button", { name: "Launch the missing runs" }).click();
    await expect(page.getByRole("link", { name: "Table 4, Sokoban" })).toHaveAttribute(
      "href",
      "/sweeps/new?preset=paper-table4-sokoban",
    );
    await page.keyboard.press("Escape");
    await expect(page.getByRole("button", { name: /^Metric \S/ })).toBeVisible();

    const bell = page.getByRole("button", { name: /new alarms$/i });
    await expect(bell).toBeVisible();
    await bell.click();
    await expect(page.getByRole("heading", { name: "Alarms" })).toBeVisible();
  },
);

/**
 * Checks that every page states the same facts about the sweep: number of seeds, success with its interval, states,
 * events, and their number.
 */
async function compareFacts(page: Page, sweepId: string): Promise<void> {
  const gspo = page
    .getByRole("row", { name: /GSPO/ })
    .filter({ hasNot: page.getByRole("columnheader") })
    .first();
  await openPage(page, `/sweeps/${sweepId}`);
  await expect(gspo).toContainText(/\d\d\.\d \[/);
  const [figure = "none"] = /\d+\.\d \[[^\]]+\]/.exec(await gspo.innerText()) ?? [];
  for (const path of ["/analysis/compare", "/publish/tables"]) {
    await openPage(page, `${path}?sweep=${sweepId}`);
    await expect(gspo, path).toContainText(figure);
    await expect(gspo.getByRole("cell", { name: "5", exact: true }), path).toBeVisible();
  }

  await openPage(page, `/sweeps/${sweepId}`);
  await expect(page.getByText("5 of 10 runs collapsed.")).toBeVisible();
  await expect(page.getByText(/^10 runs: 10 finished/)).toBeVisible();
  const collapsed = page.getByRole("link", { name: /^Seed \d: .*In hindsight: Collapsed at \d+\./ });
  await expect(collapsed).toHaveCount(5);
  const label = (await collapsed.first().getAttribute("aria-label")) ?? "";
  const [, at = ""] = /Collapsed at (\d+)\./.exec(label) ?? [];
  const [, alarm = ""] = /Alarm: .*?(\d+)\.$/.exec(label) ?? [];
  await collapsed.first().click();
  await expect(page.getByText(new RegExp(`^Collapsed at ${at}: success .* first alarm at ${alarm}$`))).toBeVisible();
  await openPage(page, `/analysis/stability?sweep=${sweepId}`);
  const row = page
    .getByRole("row")
    .filter({ hasText: "SAPO" })
    .filter({ hasText: `Collapsed at ${at}` });
  await expect(row.first()).toContainText(alarm);
  await expect(page.getByText("In hindsight 5 of 10 judged runs collapsed.")).toBeVisible();
  await openPage(page, "/runs?q=hindsight:collapsed");
  await expect(page.getByText(/^5 runs/).first()).toBeVisible();
}

test("a cell that nobody has tried becomes a sweep by one click", async ({ page, studio }) => {
  const sweep = tinySweep({
    name: "Three of four",
    methods: "[grpo, gigpo, dapoGrpo]",
    seeds: "[0, 1]",
    iterations: 2,
  });
  const { code, stdout } = await runCli(studio.home, ["sweep", "run", "-", "--watch"], sweep);
  expect(code).toBe(0);
  await openPage(page, `/analysis/effects/dimensions?sweep=${/Sweep (\S+):/.exec(stdout)?.[1] ?? ""}`);
  const link = page.getByRole("link", { name: "Create sweep" }).first();
  await expect(async () => {
    await page.reload();
    await untilAlive(page);
    await expect(link).toBeVisible({ timeout: 20_000 });
  }).toPass({ timeout: 200_000 });
  await link.click();
  await page.waitForURL(/\/sweeps\/new\?from=/);
  await expect(page.getByRole("button", { name: /^Launch \d+ runs?$/ })).toBeEnabled();
});
