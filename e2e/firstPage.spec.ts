import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { readStudio } from "#server/config/studio.ts";
import { forgetHome } from "./stack/forgetHome.ts";
import { openPage } from "./stack/openPage.ts";
import { signIn } from "./stack/signIn.ts";
import { startStudio, stopStudio } from "./stack/startStudio.ts";

test("an empty studio opens the recorded study by one click, and its scripts take over what the server drew", async ({
  browser,
}) => {
  const home = await mkdtemp(join(tmpdir(), "arlarena-first-"));
  const studio = await startStudio(home);
  const context = await browser.newContext({ baseURL: (await readStudio(home))?.address ?? "" });
  try {
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    await signIn(page, home);
    await openPage(page, "/sweeps");
    await expect(page.getByRole("heading", { name: /Which method stays stable/ })).toBeVisible();
    await page.getByRole("button", { name: "Import runs" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Open the recorded study" }).click();
    await expect(page.getByRole("heading", { name: "Table 3, Sokoban" })).toBeVisible({ timeout: 120_000 });
    await expect(page.getByText(/leads in success rate with .* cannot be told apart|can be told apart/)).toBeVisible();
    await expect(page.getByRole("link", { name: /^Seed \d: (Finished|Completed)/ })).toHaveCount(30);
    await page.getByRole("button", { name: "Details of SAMPO" }).click();
    await expect(page.getByRole("list", { name: "Runs of SAMPO" }).getByRole("listitem")).toHaveCount(3);
    expect(problems).toEqual([]);
  } finally {
    await context.close();
    await stopStudio(studio);
    await forgetHome(home);
  }
});
