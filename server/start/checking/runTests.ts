import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { programOf, runProgram } from "./program.ts";
import { counted, type FileTime, type Outcome, type Skip } from "./tally.ts";

/** What `server/testing/testReporter.ts` writes down of a run of vitest. */
const TestReport = z.object({
  counts: z.object({ passed: z.int(), failed: z.int(), skipped: z.int() }),
  files: z.array(z.object({ file: z.string(), ms: z.number() })),
  skips: z.array(z.object({ name: z.string(), reason: z.string().optional() })),
});
export type TestReport = z.infer<typeof TestReport>;

/** Runs vitest; `args` choose among its files. */
export function runUnitTests(args: readonly string[] = []): Promise<Outcome> {
  return withReport(async (path) => {
    const { code } = await runProgram([programOf("vitest"), "run", ...args], { env: { ARLARENA_TEST_REPORT: path } });
    const { counts, files, skips } = await readReport(path, TestReport, { counts: nothing, files: [], skips: [] });
    const reasoned = skips.map(({ name, reason }) => ({ name, reason }));
    return { counts: counted(code, counts), files, skips: reasoned };
  });
}

const Suite = z.object({
  file: z.string(),
  specs: z.array(
    z.object({
      title: z.string(),
      tests: z.array(
        z.object({
          status: z.string(),
          annotations: z.array(z.object({ type: z.string(), description: z.string().optional() })),
          results: z.array(z.object({ duration: z.number() })),
        }),
      ),
    }),
  ),
  get suites() {
    return z.array(Suite).default([]);
  },
});
type Suite = z.infer<typeof Suite>;
const BrowserReport = z.object({
  suites: z.array(Suite),
  stats: z.object({ expected: z.int(), unexpected: z.int(), flaky: z.int(), skipped: z.int() }),
});

/** Runs Playwright's tests of the real stack in a real browser. */
export function runBrowserTests(): Promise<Outcome> {
  return withReport(async (path) => {
    const args = [programOf("@playwright/test", "playwright"), "test", "--reporter=list,json"];
    const { code } = await runProgram(args, { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: path } });
    const none = { suites: [], stats: { expected: 0, unexpected: 0, flaky: 0, skipped: 0 } };
    const { suites, stats } = await readReport(path, BrowserReport, none);
    const { expected, unexpected, flaky, skipped } = stats;
    const counts = counted(code, { passed: expected, failed: unexpected + flaky, skipped });
    return { counts, files: suites.map(timeOf), skips: suites.flatMap(skipsOf) };
  });
}

function timeOf(suite: Suite): FileTime {
  const durations = suite.specs.flatMap(({ tests }) => tests.flatMap(({ results }) => results));
  const own = durations.reduce((sum, { duration }) => sum + duration, 0);
  return { file: `e2e/${suite.file}`, ms: suite.suites.reduce((sum, inner) => sum + timeOf(inner).ms, own) };
}

function skipsOf(suite: Suite): Skip[] {
  const own = suite.specs.flatMap(({ title, tests }) =>
    tests
      .filter(({ status }) => status === "skipped")
      .map(({ annotations }) => ({
        name: `e2e/${suite.file}: ${title}`,
        reason: annotations.find(({ type }) => type === "skip")?.description || undefined,
      })),
  );
  return [...own, ...suite.suites.flatMap(skipsOf)];
}

const nothing = { passed: 0, failed: 0, skipped: 0 };

async function withReport(use: (path: string) => Promise<Outcome>): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), "arlarena-report-"));
  try {
    return await use(join(folder, "report.json"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `fallback` where the runner died before it wrote a report. */
async function readReport<Report>(path: string, schema: z.ZodType<Report>, fallback: Report): Promise<Report> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text === undefined ? fallback : schema.parse(JSON.parse(text));
}
