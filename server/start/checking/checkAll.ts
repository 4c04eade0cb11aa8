import { tryJson } from "#trainer/spec/tryJson.ts";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { buildApp } from "../buildApp.ts";
import { installChromium } from "../chromium.ts";
import { root } from "../root.ts";
import { programOf, runProgram } from "./program.ts";
import { runBrowserTests, runUnitTests } from "./runTests.ts";
import { addUp, type Counts, listFailures, listSlowest, type Outcome, toSentence, verdict } from "./tally.ts";

const minModules = 50;

type Step = { name: string; perform: () => Promise<Outcome> };

const tool = (name: string, args: readonly string[]): Step => ({
  name,
  perform: async () => {
    const { code, output } = await runProgram(args, { isQuiet: true });
    return { counts: verdict(code === 0), text: output };
  },
});

/** Checks types and lint rules in one pass, which is faster than `tsc` and a separate lint pass. */
const lintTool = (files: readonly string[]): Step =>
  tool("types and lint", [programOf("oxlint"), "--type-aware", "--type-check", "--deny-warnings", ...files]);

const sourceChecks: readonly Step[] = [lintTool([]), tool("format", [programOf("oxfmt"), "--check"])];

const slowChecks: readonly Step[] = [
  { name: "architecture", perform: checkArchitecture },
  tool("dead code", [programOf("knip"), "--no-progress"]),
  // The production mode of knip reports code that only tests use.
  tool("dead code but for tests", [programOf("knip"), "--no-progress", "--production"]),
];

const Cruise = z.object({
  summary: z.object({
    violations: z.array(
      z.object({ from: z.string(), to: z.string(), rule: z.object({ severity: z.string(), name: z.string() }) }),
    ),
    error: z.int(),
    totalCruised: z.int(),
  }),
});

async function checkArchitecture(): Promise<Outcome> {
  const rooms = ["app", "packages", "server", "trainer", "prisma", "e2e", "bench"].filter((room) =>
    existsSync(join(root, room)),
  );
  const args = ["--config", ".dependency-cruiser.cjs", "--output-type", "json", ...rooms];
  const { output } = await runProgram([programOf("dependency-cruiser", "depcruise"), ...args], { isQuiet: true });
  const cruise = Cruise.safeParse(tryJson(output));
  if (!cruise.success) return { counts: verdict(false), text: output };
  const { violations, error, totalCruised } = cruise.data.summary;
  const lines = violations.map(({ rule, from, to }) => `${rule.severity} ${rule.name}: ${from} → ${to}`);
  // With an unsupported compiler, dependency-cruiser finds no modules and so no violations.
  const isBlind = totalCruised <= minModules;
  if (isBlind) lines.push(`only ${totalCruised} modules were cruised`);
  return { counts: verdict(error === 0 && !isBlind), text: `${lines.join("\n")}\n` };
}

/** Checks types and lint of the files changed since origin/main, and runs the unit tests in their folders, except slow ones. */
async function checkChanges(): Promise<Counts> {
  const base = git(["merge-base", "HEAD", "origin/main"]) ?? "HEAD";
  const changed = [
    git(["diff", "--name-only", "--diff-filter=d", base]),
    git(["ls-files", "-o", "--exclude-standard"]),
  ];
  const sources = changed.flatMap((list = "") => list.split("\n")).filter((path) => /\/.*\.(tsx?|mjs)$/.test(path));
  // Without file names, oxlint would check all files and vitest would run all tests.
  if (sources.length === 0) return verdict(true);
  // Types and their comments in every folder reach the API's published document.
  const paths = new Set([...sources.map((path) => `${dirname(path)}/`), "server/api/rest/testing/document.test.ts"]);
  const projects = ["pure", "shared", "process"].flatMap((name) => ["--project", name]);
  const perform = () => runUnitTests([...paths, "--passWithNoTests", ...projects]);
  return await runLanes([[lintTool(sources)], [{ name: "tests beside the change", perform }]], false);
}

export function git(args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}

export async function check(name: string): Promise<number> {
  const total =
    name === "quick" ? await checkChanges() : await runLanes(lanesOf(name), process.env["CI"] !== undefined);
  console.log(toSentence(total));
  return total.failed === 0 ? 0 : 1;
}

const unit: Step = {
  name: "unit and database tests",
  perform() {
    // Chromium is installed for its software Vulkan, which the WebGPU tests use.
    installChromium();
    return runUnitTests();
  },
};
const browser: Step = { name: "end-to-end tests", perform: hasChromium };

/**
 * Lanes run in parallel, browser tests beside unit tests, because both spend time waiting. `npm run soak` checks
 * imports and looks for dead code, which take longer than they are worth in `npm test`.
 */
function lanesOf(name: string): Step[][] {
  if (name === "check") return [[...sourceChecks, ...slowChecks], [unit]];
  if (name === "soak") return [[...slowChecks], [unit], [build, browser]];
  return availableParallelism() >= 4
    ? [[...sourceChecks], [unit], [build, browser]]
    : [[...sourceChecks, build, browser], [unit]];
}

/** Builds the studio once before the end-to-end tests; otherwise each test worker would build it or wait for it. */
const build: Step = {
  name: "build",
  perform: async () => {
    try {
      await buildApp(() => {}, new AbortController().signal);
      return { counts: verdict(true) };
    } catch (error) {
      return { counts: verdict(false), text: String(error) };
    }
  },
};

async function hasChromium(): Promise<Outcome> {
  if (installChromium()) return runBrowserTests();
  const text = "no Chromium here, and none could be installed; name one in ARLARENA_CHROMIUM";
  return { counts: verdict(false), text };
}

type Done = { name: string; outcome: Outcome };

/** Runs lanes in parallel, their steps in order even after failures. `isStrict`: a skip without a reason fails. */
export async function runLanes(lanes: readonly (readonly Step[])[], isStrict: boolean): Promise<Counts> {
  const done = (await Promise.all(lanes.map(runLane))).flat();
  const slowest = listSlowest(done.flatMap(({ outcome }) => outcome.files ?? []));
  if (slowest.length > 0) console.log(`\nSlowest test files:\n${slowest.join("\n")}`);
  const skips = done.flatMap(({ outcome }) => outcome.skips ?? []);
  for (const { name, reason } of skips) console.log(`skipped: ${name} (${reason ?? "no reason given"})`);
  for (const { name, outcome } of done) {
    if (outcome.counts.failed > 0 && outcome.text) console.log(`\n✗ ${name}\n${outcome.text.trimEnd()}\n`);
  }
  const unexplained = isStrict ? skips.filter(({ reason }) => reason === undefined) : [];
  const failures = [
    ...done.flatMap(({ name, outcome }) => listFailures(name, outcome)),
    ...unexplained.map(({ name }) => `  skipped without a reason: ${name}`),
  ];
  if (failures.length > 0) console.log(`\nFailed:\n${failures.join("\n")}\n`);
  return addUp([...done.map(({ outcome }) => outcome.counts), { passed: 0, failed: unexplained.length, skipped: 0 }]);
}

async function runLane(steps: readonly Step[]): Promise<Done[]> {
  const done: Done[] = [];
  for (const { name, perform } of steps) {
    const startedMs = Date.now();
    const outcome = await perform().catch(failed);
    const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
    const { counts } = outcome;
    console.log(`${counts.failed === 0 ? "✓" : "✗"} ${name}: ${toSentence(counts)} (${seconds} s)`);
    done.push({ name, outcome });
  }
  return done;
}

function failed(error: unknown): Outcome {
  return { counts: verdict(false), text: String(error) };
}
