import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { programOf, runProgram } from "./program.ts";
import { counted, type Failure, type FileTime, firstLine, type Outcome, type Skip } from "./tally.ts";

/** Schema of the report that `server/testing/testReporter.ts` writes about a vitest run. */
const TestReport = z.object({
  counts: z.object({ passed: z.int(), failed: z.int(), skipped: z.int() }),
  files: z.array(z.object({ file: z.string(), ms: z.number() })),
  skips: z.array(z.object({ name: z.string(), reason: z.string().optional() })),
  failures: z.array(z.object({ name: z.string(), error: z.string() })),
});
export type TestReport = z.infer<typeof TestReport>;

export function runUnitTests(args: readonly string[] = [], variables: Record<string, string> = {}): Promise<Outcome> {
  return withReport(async (path) => {
    const env = { ...variables, ARLARENA_TEST_REPORT: path };
    const { code } = await runProgram([programOf("vitest"), "run", ...args], { env });
    const none = { counts: nothing, files: [], skips: [], failures: [] };
    const { counts, files, skips, failures } = await readReport(path, TestReport, none);
    const reasoned = skips.map(({ name, reason }) => ({ name, reason }));
    return { counts: counted(code, counts), files, skips: reasoned, failures };
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
          results: z.array(
            z.object({ duration: z.number(), error: z.object({ message: z.string().default("") }).optional() }),
          ),
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
  // Errors that occurred outside any test, such as in the setup.
  errors: z.array(z.object({ message: z.string().default("") })),
  stats: z.object({ expected: z.int(), unexpected: z.int(), flaky: z.int(), skipped: z.int() }),
});

export function runBrowserTests(): Promise<Outcome> {
  return withReport(async (path) => {
    const args = [programOf("@playwright/test", "playwright"), "test", "--reporter=list,json"];
    const { code } = await runProgram(args, { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: path } });
    const none = { suites: [], errors: [], stats: { expected: 0, unexpected: 0, flaky: 0, skipped: 0 } };
    const { suites, errors, stats } = await readReport(path, BrowserReport, none);
    const { expected, unexpected, flaky, skipped } = stats;
    const counts = counted(code, { passed: expected, failed: unexpected + flaky, skipped });
    const outside = errors.map(({ message }) => ({ name: "outside any test", error: firstLine(message) }));
    const tests = suites.flatMap(testsOf);
    const failures = [...tests.flatMap(failureOf), ...outside];
    return { counts, files: suites.map(timeOf), skips: tests.flatMap(skipOf), failures };
  });
}

type Test = Suite["specs"][number]["tests"][number] & { name: string };

function testsOf({ file, specs, suites }: Suite): Test[] {
  const own = specs.flatMap(({ title, tests }) => tests.map((test) => ({ ...test, name: `e2e/${file}: ${title}` })));
  return [...own, ...suites.flatMap(testsOf)];
}

function timeOf(suite: Suite): FileTime {
  const results = testsOf(suite).flatMap((test) => test.results);
  return { file: `e2e/${suite.file}`, ms: results.reduce((sum, { duration }) => sum + duration, 0) };
}

function skipOf({ name, status, annotations }: Test): Skip[] {
  if (status !== "skipped") return [];
  return [{ name, reason: annotations.find(({ type }) => type === "skip")?.description || undefined }];
}

function failureOf({ name, status, results }: Test): Failure[] {
  if (status !== "unexpected" && status !== "flaky") return [];
  const message = results.find(({ error }) => error !== undefined)?.error?.message ?? "no error reported";
  return [{ name, error: firstLine(message) }];
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

/** Reads a test runner's report. Returns `fallback` if the runner crashed before it wrote the report. */
async function readReport<Report>(path: string, schema: z.ZodType<Report>, fallback: Report): Promise<Report> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text === undefined ? fallback : schema.parse(JSON.parse(text));
}
