import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type BrowserContext, type Page } from "@playwright/test";
import { readStudio } from "#server/config/studio.ts";
import { findChromium } from "#server/start/chromium.ts";
import { forgetHome } from "./stack/forgetHome.ts";
import { openPage } from "./stack/openPage.ts";
import { signIn } from "./stack/signIn.ts";
import { startStudio, stopStudio } from "./stack/startStudio.ts";

/** Folder of the pictures of the README and start page. `npm run pictures` takes them in both themes. */

const folder = fileURLToPath(new URL("../public/pictures/", import.meta.url));
const sizes = { width: 1440, height: 900 };

/**
 * Paths of pages by picture name, for the sweep with which the recorded study opens; the page of findings uses all
 * its sweeps.
 */
const pages = (sweepId: string, all: readonly string[]): Record<string, string> => ({
  sweep: `/sweeps/${sweepId}`,
  runs: "/runs?by=method",
  stability: `/analysis/stability?sweep=${sweepId}`,
  findings: `/analysis/claims?${all.map((id) => `sweep=${id}`).join("&")}`,
  tables: `/publish/tables?sweep=${sweepId}`,
  run: `/runs/${sweepId}-c3-s2`,
});

/** Selector of the part of each page that is rendered last, by picture name. */
const last: Record<string, string> = {
  sweep: ".recharts-curve",
  runs: "[role=gridcell]",
  stability: "tbody tr",
  findings: "#content summary",
  tables: "tbody tr",
  run: ".recharts-curve",
};

const home = await mkdtemp(join(tmpdir(), "arlarena-pictures-"));
const studio = await startStudio(home);
const executablePath = findChromium();
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
try {
  await mkdir(folder, { recursive: true });
  const context = await browser.newContext({ baseURL: (await readStudio(home))?.address ?? "", viewport: sizes });
  const page = await context.newPage();
  await signIn(page, home);
  const sweepId = await openStudy(page);
  const all = await listSweeps(page);
  for (const theme of ["light", "dark"]) await takeAll(context, pages(sweepId, all), theme);
} finally {
  await browser.close();
  await stopStudio(studio);
  await forgetHome(home);
}

/** Opens the recorded study and returns the id of the sweep that is shown first. */
async function openStudy(page: Page): Promise<string> {
  await openPage(page, "/sweeps");
  await page.getByRole("button", { name: "Open the recorded study" }).click();
  await page.waitForURL(/\/sweeps\/table/, { timeout: 120_000 });
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

/** Returns the ids of all sweeps of the recorded study. */
async function listSweeps(page: Page): Promise<string[]> {
  await openPage(page, "/sweeps");
  const links = page.getByRole("link", { name: /^Table 3, / });
  await links.nth(2).waitFor();
  const addresses = await links.evaluateAll((found) => found.map((link) => link.getAttribute("href") ?? ""));
  return addresses.map((address) => address.split("/").at(-1) ?? "");
}

async function takeAll(context: BrowserContext, paths: Record<string, string>, theme: string): Promise<void> {
  const page = await context.newPage();
  await page.emulateMedia({ colorScheme: theme === "dark" ? "dark" : "light", reducedMotion: "reduce" });
  for (const [name, path] of Object.entries(paths)) {
    await openPage(page, path);
    await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null);
    if (name === "runs") await untilAveraged(page, path);
    await page
      .locator(last[name] ?? "#content")
      .filter({ visible: true })
      .first()
      .waitFor({ timeout: 120_000 });
    // Waits, because charts are rendered once they are in view.
    await page.waitForTimeout(4_000);
    await page.screenshot({ path: join(folder, `${name}-${theme}.jpg`), type: "jpeg", quality: 82 });
  }
  await page.close();
}

/**
 * Waits until the final values of all runs are averaged. An opened study's values are read run by run, and the table
 * first shows "of 3".
 */
async function untilAveraged(page: Page, path: string): Promise<void> {
  const isPartial = async () => /\]\s*of\s*\d/.test(await page.getByRole("grid").first().innerText());
  while (await isPartial()) {
    await page.waitForTimeout(2_000);
    await openPage(page, path);
  }
}
