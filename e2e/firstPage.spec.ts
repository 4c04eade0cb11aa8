import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, type Page } from "@playwright/test";
import { readStudio } from "#server/config/studio.ts";
import { forgetHome } from "./stack/forgetHome.ts";
import { makeKeyboard } from "./stack/keyboard.ts";
import { openPage } from "./stack/openPage.ts";
import { signIn } from "./stack/signIn.ts";
import { startStudio, stopStudio } from "./stack/startStudio.ts";

test(
  "a stranger opens the recorded study, finds the stablest method, a setting's effect and two runs' difference, and leaves with a table and a report, by keyboard alone",
  { tag: "@flow" },
  async ({ browser }) => {
    test.setTimeout(300_000);
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
      const keyboard = makeKeyboard(page);
      await keyboard.activate(page.getByRole("button", { name: "Open the recorded study" }));
      await expect(page.getByRole("heading", { name: "Table 3, Sokoban" })).toBeVisible({ timeout: 120_000 });
      await expect(page.getByText(/(leads|is ahead) in success rate with .* significant/)).toBeVisible();
      await expect(page.getByRole("link", { name: /^Seed \d: (Finished|Completed)/ })).toHaveCount(30);
      await keyboard.activate(page.getByRole("button", { name: "Details of SAMPO" }));
      await expect(page.getByRole("list", { name: "Runs of SAMPO" }).getByRole("listitem")).toHaveCount(3);
      await walk(page, keyboard);
      // Clicks of the whole path from the first page to the last file, without typed words; docs/history/results.md lists
      // its steps, of which the brush is left out.
      expect(keyboard.count(), "clicks of the whole path with a mouse").toBe(19);
      expect(problems).toEqual([]);
    } finally {
      await context.close();
      await stopStudio(studio);
      await forgetHome(home);
    }
  },
);

type Keyboard = ReturnType<typeof makeKeyboard>;

async function walk(page: Page, keyboard: Keyboard): Promise<void> {
  // Answers the question which method is most stable, and with what confidence.
  await keyboard.go("b", "Stability");
  await keyboard.activate(page.getByRole("link", { name: "Survival", exact: true }));
  await expect(page.getByRole("figure", { name: /Runs without collapse/ })).toBeVisible();

  // Opens the table of all runs, filters and groups it.
  await keyboard.go("r", "Runs");
  await page.keyboard.press("/");
  keyboard.addClicks();
  await page.keyboard.type("env:sokoban collapsed");
  await expect(page.getByRole("status").filter({ hasText: /^\d+ runs?/ })).toContainText("1 run");
  await page.keyboard.press("Escape");
  await keyboard.reach(page.getByRole("combobox", { name: "Group by" }));
  await page.keyboard.type("meth");
  keyboard.addClicks(2);
  await expect(page.getByRole("grid", { name: "Groups of runs" }).getByRole("row")).toHaveCount(2);
  await keyboard.reach(page.getByRole("button", { name: /^Columns/ }));

  // Only the method differs in this study, which the page says with a link to the comparison of the methods.
  await keyboard.go("h", "Hyperparameters");
  await expect(page.getByText("These runs share all hyperparameters; only the method differs.")).toBeVisible();
  await keyboard.activate(page.getByRole("link", { name: "Compare", exact: true }).last());
  await expect(page.getByRole("heading", { level: 1, name: "Compare" })).toBeVisible();
  await expect(page.getByRole("figure", { name: "Success rate", exact: true })).toBeVisible();

  // Exports a report of a sweep as one file.
  await keyboard.go("s", "Sweeps");
  await keyboard.activate(page.getByRole("link", { name: "Table 3, Sokoban" }).first());
  await keyboard.activate(page.getByRole("button", { name: "More actions", exact: true }));
  await keyboard.activate(page.getByRole("button", { name: "Make a report", exact: true }));
  const file = page.waitForEvent("download");
  await keyboard.activate(page.getByRole("link", { name: "HTML file" }));
  const html = await readFile(await (await file).path(), "utf8");
  expect(html).toContain("DAPO_GiGPO");
  expect(html).not.toContain("<script");

  // Opens the table in the form of the ARLArena paper.
  await page.goBack();
  keyboard.addClicks();
  await keyboard.activate(page.getByRole("link", { name: "Compare", exact: true }).last());
  await keyboard.activate(page.getByRole("button", { name: "Export" }));
  const table = page.waitForEvent("download");
  await keyboard.activate(page.getByRole("button", { name: "Download" }));
  expect(await readFile(await (await table).path(), "utf8")).toContain("\\begin{tabular}");
}
