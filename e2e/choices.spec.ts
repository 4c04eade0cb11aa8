import { expect } from "@playwright/test";
import { importRuns } from "./stack/foreignLogs.ts";
import { openPage } from "./stack/openPage.ts";
import { test } from "./stack/test.ts";

const steps = Array.from({ length: 12 }, (_, i) => ({ "episode/success_rate": 0.2 + 0.01 * i, "actor/entropy": 0.5 }));

test("pages name a sweep that is not there, keep every press of a slider, and close choosers by Escape", async ({
  page,
  studio,
}) => {
  const sweepId = await importRuns(studio.home, "For choices", [{ file: "grpo_sokoban_seed0.jsonl", steps }]);
  for (const path of ["/compare", "/tables", "/stability"]) {
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

  await openPage(page, `/compare?sweep=${sweepId}`);
  // Without a chart there is nothing that stays while another one loads.
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
  const loading = page.getByRole("status").filter({ hasText: "Loading…" });
  await expect(loading.first()).toBeVisible();
  letOn();
  await expect(loading).toHaveCount(0);
  await expect(page.getByRole("figure", { name: /Entropy/ }).first()).toBeVisible();
});
