/**
 * Analyses of many runs on the installed studio, with other page visits in parallel: `node bench/compiled.mjs analyses
 * [ITERATIONS 200] [RUNS 90 400 2000 …]`. Each analysis is requested over HTTP as a page does, while another reader
 * opens one page after the other. Prints seconds, or the refusal, and the reader's slowest page. Analyses inside the
 * web process are measured in the same way.
 */
import { readdirSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import type { APIRequestContext } from "@playwright/test";
import { analysisKinds } from "#server/domain/analysis/analyses.ts";
import { toWire } from "#packages/base";
import { analysedMetric as metric, fillAnalysed } from "./analysedRuns.ts";
import { openStudio } from "./openStudio.ts";
import { medianOf, onThrowawayDatabase } from "./throwaway.ts";

const [numIterations = 200, ...sizes] = process.argv.slice(2).map(Number);
const otherPages = ["/sweeps", "/publish/reports", "/api/trpc/sweep.list", "/fleet/nodes"];

for (const numRuns of sizes.length > 0 ? sizes : [90, 400, 2000]) await measure(numRuns);

async function measure(numRuns: number): Promise<void> {
  await onThrowawayDatabase({ isDurable: true }, async (database, _stopwatch, url) => {
    const sweepId = await fillAnalysed(database, numRuns, numIterations);
    const { rows } = await database.pool.query<{ id: string }>("SELECT id FROM run ORDER BY id LIMIT 50");
    const runIds = rows.map(({ id }) => id);
    await openStudio({ database, url }, async ({ browser, options }) => {
      const context = await browser.newContext({ ...options, extraHTTPHeaders: { origin: options.baseURL ?? "" } });
      const ask = makeAsker(context.request);
      const reportId = await ask("report.createOfSweep", { sweepId }, "post");
      const report = { id: /"id":"([^"]+)"/.exec(reportId.text)?.[1] ?? "" };
      console.log(`\n${numRuns} runs × ${numIterations} iterations, load ${loadavg()[0]?.toFixed(1)}`);
      await readOthers(context.request, async () => void (await new Promise((resolve) => setTimeout(resolve, 5000))));
      for (const { name, path, input, method } of listQuestions({ sweepId, runIds, report, numRuns })) {
        await readOthers(context.request, async () => {
          const before = readCpu();
          const { status, text, seconds } = await ask(path, input, method);
          const after = readCpu();
          const [own, web] = [after.analyses - before.analyses, after.web - before.web];
          const words = status === 200 ? `${Math.round(text.length / 1024)} kB` : `${status}: ${wordsOf(text)}`;
          const cpu = `CPU ${own.toFixed(2)} s, web ${web.toFixed(2)} s`;
          return `${name.padEnd(30)} ${seconds.toFixed(2).padStart(7)} s  ${cpu.padEnd(24)} ${words}`;
        });
      }
      await context.close();
    });
  });
}

/** Seconds of processor time of this studio's processes so far, which a busy machine does not lengthen. */
function readCpu(): { analyses: number; web: number } {
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess);
  const parentOf = new Map(stats.map(({ pid, parent }) => [pid, parent]));
  const isOurs = (pid: number): boolean => pid === process.pid || (pid > 1 && isOurs(parentOf.get(pid) ?? 0));
  const sum = (part: string) =>
    stats
      .filter(({ pid, command }) => command.includes(part) && isOurs(pid))
      .reduce((seconds, one) => seconds + one.seconds, 0);
  return { analyses: sum("players/analyses.mjs"), web: sum("next-server") };
}

function readProcess(pid: string): { pid: number; parent: number; command: string; seconds: number }[] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    const seconds = (Number(fields[11]) + Number(fields[12])) / 100;
    return [{ pid: Number(pid), parent: Number(fields[1]), command, seconds }];
  } catch {
    return [];
  }
}

type Asked = { status: number; text: string; seconds: number };
type Asker = (path: string, input: unknown, method?: "get" | "post") => Promise<Asked>;

function makeAsker(request: APIRequestContext): Asker {
  return async (path, input, method = "get") => {
    const startMs = performance.now();
    const response = await (path.startsWith("/")
      ? request.get(path, { timeout: 0, maxRetries: 2 })
      : method === "post"
        ? request.post(`/api/trpc/${path}`, { data: toWire(input), timeout: 0, maxRetries: 2 })
        : request.get(`/api/trpc/${path}?input=${encodeURIComponent(JSON.stringify(toWire(input)))}`, {
            timeout: 0,
            maxRetries: 2,
          }));
    const text = await response.text();
    return { status: response.status(), text, seconds: (performance.now() - startMs) / 1000 };
  };
}

function wordsOf(text: string): string {
  return (/"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text).slice(0, 200);
}

/** Opens pages until `work` is done; prints its result with the slowest page. */
async function readOthers(request: APIRequestContext, work: () => Promise<string | void>): Promise<void> {
  const done = new AbortController();
  const times: { path: string; ms: number }[] = [];
  const reading = (async () => {
    for (let i = 0; !done.signal.aborted; i++) {
      const path = otherPages[i % otherPages.length] ?? "";
      const startMs = performance.now();
      await (await request.get(path, { maxRetries: 2 })).body();
      times.push({ path, ms: performance.now() - startMs });
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  })();
  const words = await work();
  done.abort();
  await reading;
  const { path, ms } = times.toSorted((a, b) => b.ms - a.ms)[0] ?? { path: "", ms: NaN };
  const median = medianOf(times.map((time) => time.ms)).toFixed(0);
  console.log(`${words ?? "nothing".padEnd(45)} | others: median ${median} ms, slowest ${ms.toFixed(0)} ms (${path})`);
}

type Subject = { sweepId: string; runIds: readonly string[]; report: { id: string }; numRuns: number };
type Question = { name: string; path: string; input?: unknown; method?: "get" | "post" };

function listQuestions({ sweepId, runIds, report, numRuns }: Subject): Question[] {
  const sweepIds = [sweepId];
  const [runId = ""] = runIds;
  const study = { sweepIds, metric };
  const keys = ["rollout/successRate", "evaluation/successRate", "policy/klOld", "policy/entropy"];
  const runs = { runIds: numRuns > 50 ? runIds.slice(0, 50) : runIds, cellIds: [] };
  const charts = { keys, aggregate: "interval", seeds: false, range: null };
  const inputs: Record<string, unknown> = {
    answering: study,
    blind: { sweepIds, half: "all" },
    builtTable: { sweepIds, options: { metrics: [metric] }, wording: {} },
    charts: { scope: { sweepIds }, ...charts },
    climbs: { sweepIds },
    comparedFinals: { ...runs, metric },
    comparison: runs,
    effects: study,
    equivalence: { sweepIds, by: "method" },
    findings: study,
    forecast: { sweepIds },
    hazards: { sweepIds },
    headline: { id: sweepId },
    importance: { scope: { sweepIds }, columns: [], outcome: "", form: "method" },
    offers: { sweepIds },
    overview: { sweepIds },
    phases: { sweepIds },
    progress: { scope: { sweepIds }, axis: "time" },
    replay: { runId },
    runStudy: { scope: { sweepIds }, columns: [] },
    search: { id: sweepId },
    shownReport: report,
    survival: { sweepIds, by: "method" },
    tables: study,
  };
  const analyses = Object.entries(analysisKinds).flatMap(([name, kind]) =>
    "procedure" in kind && name in inputs ? [{ name, path: kind.procedure, input: inputs[name] }] : [],
  );
  const parts = (["method", "configuration", "clipping"] as const).map((by) => ({
    name: `survival by ${by}`,
    path: "stability.survival",
    input: { sweepIds, by },
  }));
  const view = { filter: "", columns: [], order: [] };
  return [
    ...analyses,
    ...parts,
    { name: "exportedReport", path: `/api/reports/${report.id}` },
    { name: "shared", path: "link.create", input: { shared: { kind: "sweep", sweepId }, days: 1 }, method: "post" },
    { name: "frozenBlocks", path: "report.freeze", input: report, method: "post" },
    { name: "web process: rows", path: "runTable.rows", input: { ...view, offset: 0, limit: 500 } },
    { name: "web process: groups", path: "runTable.groups", input: { ...view, groupBy: ["method"] } },
    { name: "web process: costs", path: "cost.table", input: { by: "sweep" } },
    { name: "web process: basis", path: "cost.basis", input: {} },
    { name: "web process: standings", path: "stability.standings", input: { sweepIds } },
    { name: "web process: events", path: "stability.events", input: { sweepIds } },
    { name: "web process: ghosts", path: "series.ghosts", input: { scope: { sweepIds }, keys, range: null } },
    { name: "web process: references", path: "series.references", input: { scope: { sweepIds }, keys } },
    { name: "web process: fields", path: "series.fields", input: { scope: { sweepIds } } },
    { name: "web process: sweep", path: "sweep.byId", input: { id: sweepId } },
  ];
}
