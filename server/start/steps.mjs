// What `npm run check` and `npm test` run, one after the other; every step runs even when an earlier one failed.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(import.meta.url);
const minModules = 50;

/** Path of a package's program, by the name in its `bin`. */
function program(packageName, name = packageName) {
  const folder = join(root, "node_modules", packageName);
  const { bin } = require(join(folder, "package.json"));
  return join(folder, typeof bin === "string" ? bin : bin[name]);
}

const tool =
  (...names) =>
  (args) =>
    run([program(...names), ...args]);

/** Each gives { passed, failed, skipped }; a tool that only says yes or no counts as one. */
export const checkSteps = [
  { name: "format", perform: async () => verdict(await tool("prettier")(["--check", "--log-level", "warn", "."])) },
  { name: "lint", perform: async () => verdict(await tool("oxlint")(["--type-aware", "--deny-warnings"])) },
  { name: "types", perform: async () => verdict(await tool("typescript", "tsc")(["--noEmit"])) },
  { name: "architecture", perform: checkArchitecture },
  { name: "dead code", perform: async () => verdict(await tool("knip")(["--no-progress"])) },
  // What tests alone reach serves nobody.
  {
    name: "dead code but for tests",
    perform: async () => verdict(await tool("knip")(["--no-progress", "--production"])),
  },
  { name: "unit and database tests", perform: runVitest },
];

export const endToEndStep = { name: "end-to-end tests", perform: runPlaywright };

/** Runs the steps, says how each went and how long it took, and adds up the counts. */
export async function runSteps(steps) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, perform } of steps) {
    const startedMs = Date.now();
    const counts = await perform();
    for (const key of Object.keys(total)) total[key] += counts[key];
    const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
    console.log(`${counts.failed === 0 ? "✓" : "✗"} ${name}: ${toSentence(counts)} (${seconds} s)`);
  }
  return total;
}

export function toSentence({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

async function checkArchitecture() {
  const rooms = ["app", "server", "trainer", "prisma", "e2e", "bench"].filter((room) => existsSync(join(root, room)));
  const args = ["--config", ".dependency-cruiser.cjs", "--output-type", "json", ...rooms];
  const { output } = await run([program("dependency-cruiser", "depcruise"), ...args], { isQuiet: true });
  let summary;
  try {
    summary = JSON.parse(output).summary;
  } catch {
    console.log(output);
    return verdict({ code: 1 });
  }
  for (const { rule, from, to } of summary.violations) console.log(`${rule.severity} ${rule.name}: ${from} → ${to}`);
  // A cruiser that does not understand the compiler installed finds no module, and so no fault.
  if (summary.totalCruised <= minModules) console.log(`only ${summary.totalCruised} modules were cruised`);
  return verdict({ code: summary.error === 0 && summary.totalCruised > minModules ? 0 : 1 });
}

async function runVitest() {
  const args = ["run", "--reporter=default", "--reporter=json"];
  return withReport("vitest.json", async (file) => {
    const { code } = await run([program("vitest"), ...args, `--outputFile.json=${file}`]);
    const report = await readReport(file);
    const tests = report?.testResults ?? [];
    // A file that cannot even be loaded has no tests to fail.
    const numUnloadable = tests.filter(
      ({ status, assertionResults }) => status === "failed" && !assertionResults.length,
    );
    return counted(code, {
      passed: report?.numPassedTests ?? 0,
      failed: (report?.numFailedTests ?? 0) + numUnloadable.length,
      skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
    });
  });
}

async function runPlaywright() {
  return withReport("playwright.json", async (file) => {
    const args = [program("@playwright/test", "playwright"), "test", "--reporter=list,json", "--pass-with-no-tests"];
    const { code } = await run(args, { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: file } });
    const stats = (await readReport(file))?.stats ?? {};
    const { expected = 0, unexpected = 0, flaky = 0, skipped = 0 } = stats;
    return counted(code, { passed: expected, failed: unexpected + flaky, skipped });
  });
}

// A runner that fails without naming a test (a crash, an error between tests) still counts as a failure.
function counted(code, counts) {
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function verdict({ code }) {
  return code === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

async function withReport(name, use) {
  const folder = await mkdtemp(join(tmpdir(), "arlarena-report-"));
  try {
    return await use(join(folder, name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readReport(file) {
  return existsSync(file) ? JSON.parse(await readFile(file, "utf8")) : undefined;
}

function run(args, { isQuiet = false, env = {} } = {}) {
  const stdio = ["ignore", isQuiet ? "pipe" : "inherit", "inherit"];
  const child = spawn(process.execPath, args, { cwd: root, stdio, env: { ...process.env, ...env } });
  const chunks = [];
  child.stdout?.on("data", (chunk) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.once("error", () => resolve({ code: 1, output: "" }));
    child.once("close", (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }));
  });
}
