import type { Page } from "@playwright/test";
import { traced, tasksOf } from "./longestTask.ts";
import type { Opener } from "./openStudio.ts";
import { medianOf, print } from "./throwaway.ts";

const filters = ["method:sapo", "method:sapo,rloo", "success>0.85", "lr<1e-4", "-method:grpo"];

/** Times of the first rows, of filters until their rows appear, and of frames while scrolling. */
export async function measureRunTable({ browser, options }: Opener, numTimes: number): Promise<void> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const opening: number[] = [];
  for (let i = 0; i <= numTimes; i++) {
    const startMs = performance.now();
    await page.goto("/runs", { waitUntil: "commit", timeout: 60_000 });
    await page.getByRole("gridcell").first().waitFor();
    opening.push(performance.now() - startMs);
  }
  print("run table: first rows, first time", opening[0] ?? NaN, "ms");
  print(`run table: first rows, median of ${numTimes}`, medianOf(opening.slice(1)), "ms");
  const filtering: number[] = [];
  for (const filter of filters) filtering.push(await timeFilter(page, filter));
  print(`run table: filter to rows, median of ${filters.length}`, medianOf(filtering), "ms");
  print("run table: filter to rows, longest", Math.max(...filtering), "ms");
  await timeFilter(page, "");
  await browser.startTracing(page, { categories: traced });
  const frames = (await page.evaluate(scrollThrough)).toSorted((a, b) => a - b);
  const cpuMs = tasksOf(await browser.stopTracing()).reduce((sum, ms) => sum + ms, 0);
  print("run table: processor time of the page's thread a frame", cpuMs / frames.length, "ms");
  print("run table: a frame while scrolling, median", medianOf(frames), "ms");
  print("run table: a frame while scrolling, 95 of 100 within", frames[Math.floor(0.95 * frames.length)] ?? NaN, "ms");
  print("run table: frames a second", (1000 * frames.length) / frames.reduce((sum, ms) => sum + ms, 0), "");
  await context.close();
}

/** Milliseconds from the key press to the frame with the number of matching runs. Throws after ten seconds. */
async function timeFilter(page: Page, filter: string): Promise<number> {
  await page.waitForTimeout(500);
  await page.evaluate(watchCount);
  await page.getByRole("combobox", { name: "Filter runs" }).fill(filter);
  return page.evaluate(() => (globalThis as unknown as { changed: Promise<number> }).changed);
}

/** The count can disappear while a response is pending, so every frame looks for it again. */
function watchCount(): void {
  const countOf = () => document.querySelector("#content p[role=status]")?.textContent;
  const before = countOf();
  const changed = new Promise<number>((resolve, reject) => {
    let startMs: number | undefined;
    const look = () => {
      const now = countOf();
      const waitedMs = performance.now() - (startMs ?? performance.now());
      if (now !== undefined && now !== before) resolve(waitedMs);
      else if (waitedMs > 10_000) reject(new Error(`the count is still ${now} after 10 s`));
      else requestAnimationFrame(look);
    };
    const start = ({ timeStamp }: Event) => {
      startMs = timeStamp;
      look();
    };
    document.addEventListener("input", start, { once: true, capture: true });
  });
  Object.assign(globalThis, { changed });
}

/** Scrolls 120 pixels per frame, 300 times; returns the milliseconds of each frame. */
async function scrollThrough(): Promise<number[]> {
  const grid = document.querySelector("[role=grid]");
  const frames: number[] = [];
  let beforeMs = await new Promise<number>(requestAnimationFrame);
  for (let i = 0; i < 300; i++) {
    grid?.scrollBy(0, 120);
    const nowMs = await new Promise<number>(requestAnimationFrame);
    frames.push(nowMs - beforeMs);
    beforeMs = nowMs;
  }
  return frames;
}
