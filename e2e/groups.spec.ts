import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { openGroups } from "#trainer/run/keeping/groupFile.ts";
import { type GroupToken, notRecorded, summariseGroup } from "#trainer/spec/keptGroup.ts";
import { countToken, emptyCounts } from "#trainer/spec/tokenBins.ts";
import { findProblems } from "./stack/accessibility.ts";
import { importRuns } from "./stack/foreignLogs.ts";
import { openPage } from "./stack/openPage.ts";
import { test } from "./stack/test.ts";
import { untilDrawn } from "./stack/untilDrawn.ts";

const [numEpisodes, numTokens, turnTokens] = [16, 400, 20];
const words = ["go", " north", " push", " the", " box", " onto", " a", " target", " and", " think"];
const fates = ["used", "used", "used", "clippedHigh", "clippedLow", "clippedDual", "maskedToken", "maskedRow"] as const;

/** Tokens of a group at the size for which the page must stay usable: 16 episodes of 400 tokens. */
function listTokens(): GroupToken[] {
  return Array.from({ length: numEpisodes }, (_, episode) =>
    Array.from({ length: numTokens / turnTokens }, (__, turn): GroupToken[] => {
      const place = { ...notRecorded, episode, turn, reward: 0, return: episode % 2, behind: 1 };
      const responses = Array.from({ length: turnTokens }, (___, t): GroupToken => {
        const at = turn * turnTokens + t;
        const fate = fates[(at + episode) % fates.length] ?? "used";
        const gradient = fate === "used" ? Math.sin(at + episode) / 100 : 0;
        const logProb = -1 + Math.sin(at) / 4;
        const numbers = { logProb, oldLogProb: -1, samplerLogProb: -1, ratio: Math.exp(logProb + 1) };
        const text = words[at % words.length] ?? "";
        const loss = { advantage: episode % 2 ? 1 : -1, weight: 1 / 6400, loss: 0.5, gradient, fate };
        return { ...place, ...numbers, ...loss, role: "response", text, id: at % 50 };
      });
      return [{ ...place, role: "prompt", text: "You see a box. ".repeat(20) }, ...responses];
    }).flat(),
  ).flat();
}

/** Writes groups of 40 iterations into the folder of an imported run, the first of full size. */
async function writeGroups(folder: string): Promise<void> {
  if (!existsSync(join(folder, "events.jsonl"))) throw new Error(`no run has the folder ${folder}`);
  const file = openGroups(folder);
  const successes = Array.from({ length: numEpisodes }, (_, episode) => episode % 2 === 1);
  for (let i = 1; i <= 40; i++) {
    const tokens = i === 1 ? listTokens() : listTokens().filter(({ turn }) => turn === 0);
    const trained = emptyCounts();
    for (const { role, logProb, advantage } of tokens) {
      if (role === "response") countToken(trained, { logRatio: ((logProb ?? 0) + 1) * i, advantage: advantage ?? 0 });
    }
    const head = summariseGroup({ iteration: 5 * i, group: 0, task: i % 3, successes }, tokens);
    file.write([{ head: { ...head, trained }, tokens }]);
  }
}

/** Milliseconds from the click on the tab to the first frame with all tokens of the group. */
async function measurePaint(page: Page): Promise<number> {
  return page.evaluate(async (count) => {
    const tab = [...document.querySelectorAll<HTMLElement>("[role=tab]")].find((one) => one.innerText === "Groups");
    const from = performance.now();
    tab?.click();
    for (let n = 0; (n = document.querySelectorAll("[data-token]").length) < count;) {
      if (performance.now() - from > 300_000) throw new Error(`${n} of ${count} tokens painted after 5 minutes`);
      await new Promise(requestAnimationFrame);
    }
    await new Promise(requestAnimationFrame);
    return performance.now() - from;
  }, numEpisodes * numTokens);
}

test("a group of 16 episodes with 400 tokens begins in the first screen, and its facts cover no token", async ({
  page,
  studio,
}, testInfo) => {
  test.setTimeout(1_800_000);
  const steps = Array.from({ length: 20 }, () => ({ "episode/success_rate": 0.5 }));
  const sweepId = await importRuns(studio.home, "Groups", [{ file: "grpo_sokoban_seed0.jsonl", steps }]);
  await page.goto(`/sweeps/${sweepId}?tab=table`);
  const run = (await page.locator(`a[href^='/runs/${sweepId}-']`).first().getAttribute("href")) ?? "";
  await writeGroups(join(studio.home, "runs", basename(run), "1"));
  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size);
    await openPage(page, run);
    const ms = await measurePaint(page);
    console.log(`${size.width} px: all ${numEpisodes * numTokens} tokens painted ${ms.toFixed(0)} ms after the click`);
    const first = page.locator("[data-token]").first();
    expect((await first.boundingBox())?.y, `${size.width} px`).toBeLessThan(size.height - 40);
    // The facts of a token stand beside or below the episodes.
    await first.hover();
    const facts = page.locator("[aria-live=polite]").filter({ hasText: "token 1 of" });
    await expect(facts).toBeVisible();
    const [box, episodes] = await Promise.all([
      facts.boundingBox(),
      page.getByRole("region", { name: "Episodes side by side" }).boundingBox(),
    ]);
    const isBeside = (box?.x ?? 0) >= (episodes?.x ?? 0) + (episodes?.width ?? Infinity);
    expect(isBeside || (box?.y ?? 0) >= (episodes?.y ?? 0) + (episodes?.height ?? Infinity)).toBe(true);
    await page.screenshot({ path: testInfo.outputPath(`groups-${size.width}.png`) });
    await untilDrawn(page);
    await expect(page.getByRole("figure", { name: "Log-ratio of all trained tokens" })).toBeVisible();
    expect(await findProblems(page), `${size.width} px`).toEqual([]);
    await page.screenshot({ path: testInfo.outputPath(`groups-${size.width}-whole.png`), fullPage: true });
  }
});
