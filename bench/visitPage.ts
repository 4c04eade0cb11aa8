import type { Page } from "@playwright/test";
import { longestTaskOf, traced } from "./longestTask.ts";
import type { Opener } from "./openStudio.ts";

export type Visited = {
  path: string;
  /** Resolves when what the page is for stands there. */
  isReady: (page: Page) => Promise<unknown>;
  /** What is done there most. */
  interact: (page: Page) => Promise<void>;
};

/** Kilobytes are 1000 bytes as they travelled; times in milliseconds. */
export type Visit = {
  /** Named by the page's HTML. */
  firstKb: number;
  /** With what came until nothing more did. */
  totalKb: number;
  lcpMs: number;
  cls: number;
  longestTaskMs: number;
  /** Processor time of the longest task of the page's thread, which other work on the machine does not lengthen. */
  longestTaskCpuMs: number;
  /** From input to the next paint, as the browser's Event Timing measures it (8 ms steps, 16 and more). */
  inputMs: number;
  longestTaskAfterInputMs: number;
};

type Seen = { lcpMs: number; cls: number; tasks: number[]; inputs: number[] };

const settleMs = 2500;

/** Opens a page with an empty cache, waits until it is quiet, and does there what is done most. */
export async function visitPage({ browser, options }: Opener, visited: Visited): Promise<Visit> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    const scripts = collectScripts(page);
    await page.addInitScript(watch);
    await browser.startTracing(page, { categories: traced });
    const response = await page.goto(visited.path, { timeout: 60_000 });
    const html = (await response?.text()) ?? "";
    await visited.isReady(page);
    await page.waitForTimeout(settleMs);
    const opened = await page.evaluate(readSeen);
    const longestTaskCpuMs = longestTaskOf(await browser.stopTracing());
    const sizes = await scripts();
    await visited.interact(page);
    await page.waitForTimeout(settleMs / 2);
    const used = await page.evaluate(readSeen);
    return {
      firstKb: sumOf(sizes.flatMap(({ name, bytes }) => (html.includes(name) ? [bytes] : []))) / 1000,
      totalKb: sumOf(sizes.map(({ bytes }) => bytes)) / 1000,
      lcpMs: opened.lcpMs,
      cls: opened.cls,
      longestTaskMs: Math.max(0, ...opened.tasks),
      longestTaskCpuMs,
      inputMs: Math.max(0, ...used.inputs.slice(opened.inputs.length)),
      longestTaskAfterInputMs: Math.max(0, ...used.tasks.slice(opened.tasks.length)),
    };
  } finally {
    // A visit that failed leaves its recording behind, and a browser makes one at a time.
    await browser.stopTracing().catch(() => undefined);
    await context.close();
  }
}

function collectScripts(page: Page): () => Promise<{ name: string; bytes: number }[]> {
  const found: Promise<{ name: string; bytes: number }>[] = [];
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (!pathname.endsWith(".js")) return;
    const name = pathname.split("/").at(-1) ?? "";
    found.push(
      response
        .request()
        .sizes()
        .then(({ responseBodySize }) => ({ name, bytes: responseBodySize })),
    );
  });
  return () => Promise.all(found);
}

/** Runs in the page before anything of it does. */
function watch(): void {
  const seen: Seen = { lcpMs: 0, cls: 0, tasks: [], inputs: [] };
  Object.assign(globalThis, { seen });
  const observe = (type: string, use: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(use)).observe({
      type,
      buffered: true,
      ...(type === "event" && { durationThreshold: 16 }),
    });
  observe("largest-contentful-paint", ({ startTime }) => (seen.lcpMs = startTime));
  observe("longtask", ({ duration }) => seen.tasks.push(duration));
  observe("event", ({ duration }) => seen.inputs.push(duration));
  observe("layout-shift", (entry) => {
    if ("value" in entry && !("hadRecentInput" in entry && entry.hadRecentInput)) seen.cls += Number(entry.value);
  });
}

function readSeen(): Seen {
  const { seen } = globalThis as unknown as { seen: Seen };
  return structuredClone(seen);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
