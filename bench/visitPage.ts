import type { Page } from "@playwright/test";
import { z } from "zod";
import type { Opener } from "./throwaway.ts";

export type Visited = {
  path: string;
  /** Resolves when the page's main content is visible. */
  isReady: (page: Page) => Promise<unknown>;
  /** Performs the most frequent interaction on the page. */
  interact: (page: Page) => Promise<void>;
};

/** Measurements of a visit. A kilobyte is 1000 bytes as transferred; times are in milliseconds. */
export type Visit = {
  /** Kilobytes of the files that the page's HTML names, such as scripts and styles. */
  firstKb: number;
  /** Kilobytes of all files until the network is idle. */
  totalKb: number;
  lcpMs: number;
  cls: number;
  longestTaskMs: number;
  /** CPU time of the longest task on the page's thread, independent of other load. */
  longestTaskCpuMs: number;
  /** Time from an input to the next paint, by the browser's Event Timing (in steps of 8 ms, at least 16). */
  inputMs: number;
  longestTaskAfterInputMs: number;
  /** CPU time of the studio's processes and of PostgreSQL during the visit, in excess of that without visits. */
  serverCpuMs: number;
};

type Seen = { lcpMs: number; cls: number; tasks: number[]; inputs: number[] };

const settleMs = 2500;

/** Opens a page with an empty cache, waits until it is idle, and performs its usual interaction. */
export async function visitPage({ browser, options, readCpu }: Opener, visited: Visited, idle = 0): Promise<Visit> {
  const context = await browser.newContext(options);
  const before = { ms: performance.now(), cpu: readCpu() };
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
    const serverCpuMs = 1000 * (readCpu() - before.cpu) - idle * (performance.now() - before.ms);
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
      serverCpuMs,
      inputMs: Math.max(0, ...used.inputs.slice(opened.inputs.length)),
      longestTaskAfterInputMs: Math.max(0, ...used.tasks.slice(opened.tasks.length)),
    };
  } finally {
    // A failed visit leaves its trace recording open; the browser allows only one recording.
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

/** Records paints, layout shifts, tasks and inputs. The function runs in the page before the page's own scripts. */
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

/** Trace categories that Chromium has to record during a visit. */
export const traced = ["toplevel"];

const Trace = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      ph: z.string(),
      pid: z.number(),
      tid: z.number(),
      /** CPU time of the thread in microseconds. */
      tdur: z.number().optional(),
      args: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});

/** Returns the CPU milliseconds of the longest task on a page's main thread. Throws if the trace has no task. */
function longestTaskOf(trace: Buffer): number {
  return Math.max(...tasksOf(trace));
}

/** Returns the CPU milliseconds of each task on a page's main thread. Throws if the trace has no task. */
export function tasksOf(trace: Buffer): number[] {
  const { traceEvents } = Trace.parse(JSON.parse(trace.toString()));
  const threadOf = ({ pid, tid }: { pid: number; tid: number }) => `${pid}.${tid}`;
  const named = traceEvents.filter(({ name, args }) => name === "thread_name" && args?.["name"] === "CrRendererMain");
  const mains = new Set(named.map(threadOf));
  const tasks = traceEvents.filter((event) => event.name.endsWith("RunTask") && mains.has(threadOf(event)));
  if (tasks.length === 0) throw new Error("the trace has no task of a page");
  return tasks.map(({ tdur }) => (tdur ?? 0) / 1000);
}
