import { expect, type Page } from "@playwright/test";
import { type ForeignRun, importRuns } from "./stack/foreignLogs.ts";
import { openPage } from "./stack/openPage.ts";
import { test } from "./stack/test.ts";

let numLogs = 0;

/** Makes a run's log with its own entropy values, because no file can be imported twice. */
function makeLog(): ForeignRun {
  const entropy = 0.5 + 0.001 * numLogs++;
  const steps = Array.from({ length: 12 }, (_, i) => ({
    "episode/success_rate": 0.2 + 0.01 * i,
    "actor/entropy": entropy,
  }));
  return { file: "grpo_sokoban_seed0.jsonl", steps };
}

/** Links by menu and name, with the title of the page that each opens. */
const clicks = [
  ["Main", "Publish", "Tables"],
  ["Publish", "Reports", "Reports"],
  ["Publish", "Shared links", "Shared links"],
  ["Main", "Runs", "Runs"],
  ["Main", "Analysis", "Compare"],
  ["Analysis", "Stability", "Stability"],
  ["Stability", "Survival", "Survival"],
  ["Analysis", "Effects", "Dimensions"],
  ["Effects", "Hyperparameters", "Hyperparameters"],
  ["Main", "Environments", "Environments"],
  ["Main", "Analysis", "Compare"],
] as const;

/** Returns the sweeps in the page's URL, in order. */
const sweepsOf = (page: Page) => new URL(page.url()).searchParams.getAll("sweep");

test("chosen sweeps follow through every page of the menu, the palette and the keys; back undoes one choice", async ({
  page,
  studio,
}) => {
  const chosen = [];
  for (const name of ["First", "Second", "Third"]) {
    chosen.push(await importRuns(studio.home, name, [makeLog()]));
  }
  const [first, second, third] = chosen;
  await openPage(page, `/sweeps/${first}`);
  const go = async (menu: string, name: string, heading = name) => {
    await page.getByRole("navigation", { name: menu }).getByRole("link", { name, exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
  };
  await go("Main", "Analysis", "Compare");
  expect(sweepsOf(page), "the sweep whose page was open, and not the newest").toEqual([first]);
  await page.getByRole("button", { name: "Add other sweeps" }).click();
  await page.getByRole("checkbox", { name: /^Second/ }).click();
  await expect(page).toHaveURL(new RegExp(`sweep=${second}`));
  for (const [menu, name, heading] of clicks) {
    await go(menu, name, heading);
    expect(sweepsOf(page), name).toEqual([first, second]);
  }
  await page.getByRole("button", { name: /^Slots/ }).click();
  await page.getByRole("link", { name: "Queue", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Queue" })).toBeVisible();
  expect(sweepsOf(page)).toEqual([first, second]);
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await expect(page.getByRole("heading", { level: 1, name: "Hyperparameters" })).toBeVisible();
  expect(sweepsOf(page)).toEqual([first, second]);
  await page.keyboard.press("Control+K");
  await page.keyboard.type("survival");
  await expect(page.getByRole("combobox", { name: "Search and commands" })).toHaveValue("survival");
  await expect(page.getByRole("option", { name: /^Survival/ })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Survival" })).toBeVisible();
  expect(sweepsOf(page)).toEqual([first, second]);

  await go("Analysis", "Claims of the papers");
  await page.getByRole("button", { name: "2 sweeps" }).click();
  await page.getByRole("checkbox", { name: /^Third/ }).click();
  await expect(page).toHaveURL(new RegExp(`sweep=${third}`));
  await page.goBack();
  await expect.poll(() => sweepsOf(page)).toEqual([first, second]);
  await expect(page.getByRole("heading", { level: 1, name: "Claims of the papers" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1, name: "Survival" })).toBeVisible();
});

test("an address without sweeps says which it opened on, for the next page and for a reload", async ({
  page,
  studio,
}) => {
  const sweepId = await importRuns(studio.home, "Newest", [makeLog()]);
  // The last two paths are old URLs, which redirect.
  const paths = ["/analysis/compare", "/publish/tables?counts=no", "/stability?tab=survival", "/hyperparameters"];
  for (const path of paths) {
    await openPage(page, path);
    expect(sweepsOf(page), path).toEqual([sweepId]);
  }
  expect(new URL(page.url()).pathname).toBe("/analysis/effects/hyperparameters");
});

test("pages name a sweep that is not there, keep every press of a slider, and close choosers by Escape", async ({
  page,
  studio,
}) => {
  const sweepId = await importRuns(studio.home, "For choices", [makeLog()]);
  for (const path of ["/analysis/compare", "/publish/tables", "/analysis/stability"]) {
    await openPage(page, `${path}?sweep=no-such-sweep`);
    await expect(page.getByRole("note").filter({ hasText: "no-such-sweep" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Add other sweeps" })).toHaveCount(0);
    await openPage(page, `${path}?sweep=${sweepId}&sweep=no-such-sweep`);
    await expect(page.getByRole("note").filter({ hasText: "no-such-sweep" })).toBeVisible();
    const chosen = page.getByRole("checkbox", { name: /For choices/ });
    const opener = page.getByRole("button", { name: "Add other sweeps" });
    await opener.click();
    await expect(chosen).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(chosen).toBeHidden();
    await opener.click();
    await page.getByRole("heading", { level: 1 }).click();
    await expect(chosen).toBeHidden();
  }
  await openPage(page, `/analysis/compare?cell=${sweepId}/NONE`);
  await expect(page.getByText("No configuration “NONE” with runs was found")).toBeVisible();

  await openPage(page, `/analysis/compare?sweep=${sweepId}`);
  // A visible chart stays on the page while a different chart loads.
  await expect(page.getByRole("figure", { name: /Success/ }).first()).toBeVisible();
  await page.getByRole("button", { name: "Options of all charts" }).click();
  const slider = page.getByRole("slider", { name: /Smoothing/ });
  await slider.focus();
  for (let i = 0; i < 8; i++) await page.keyboard.press("ArrowRight");
  await expect(slider).toHaveValue("0.4");
  await expect(page).toHaveURL(/smooth=0\.4/);
  await page.keyboard.press("Escape");

  let letOn: () => void = () => {};
  const held = new Promise<void>((resolve) => (letOn = resolve));
  await page.route(/series\.charts/, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole("button", { name: /^Metric/ }).click();
  await page.getByRole("searchbox", { name: "Search metrics" }).fill("entropy");
  await page.keyboard.press("Enter");
  const loading = page.getByRole("status").filter({ hasText: "Computing" });
  await expect(loading.first()).toBeVisible();
  letOn();
  await expect(loading).toHaveCount(0);
  await expect(page.getByRole("figure", { name: /Entropy/ }).first()).toBeVisible();
});
