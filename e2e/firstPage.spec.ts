import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { readStudio } from "#server/config/studio.ts";
import { forgetHome } from "./stack/forgetHome.ts";
import { openPage } from "./stack/openPage.ts";
import { signIn } from "./stack/signIn.ts";
import { startStudio, stopStudio } from "./stack/startStudio.ts";

test("the first page of an empty studio is taken over by its scripts as the server drew it", async ({ browser }) => {
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
    await expect(page.getByRole("heading", { name: "No sweep yet" })).toBeVisible();
    await page.getByRole("button", { name: "Import runs" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    expect(problems).toEqual([]);
  } finally {
    await context.close();
    await stopStudio(studio);
    await forgetHome(home);
  }
});
