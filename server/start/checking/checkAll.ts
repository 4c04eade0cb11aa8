import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, posix } from "node:path";
import { z } from "zod";
import { buildApp } from "../buildApp.ts";
import { installChromium } from "../chromium.ts";
import { root } from "../root.ts";
import { programOf, runProgram } from "./program.ts";
import { readTimes, runBrowserTests, runUnitTests } from "./runTests.ts";
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

const sourceChecks: readonly Step[] = [
  lintTool([]),
  { name: "architecture", perform: checkArchitecture },
  tool("dead code", [programOf("knip"), "--no-progress"]),
  // The production mode of knip reports code that only tests use.
  tool("dead code but for tests", [programOf("knip"), "--no-progress", "--production"]),
  tool("format", [programOf("oxfmt"), "--check"]),
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
  const cruise = Cruise.safeParse(parseJson(output));
  if (!cruise.success) return { counts: verdict(false), text: output };
  const { violations, error, totalCruised } = cruise.data.summary;
  const lines = violations.map(({ rule, from, to }) => `${rule.severity} ${rule.name}: ${from} → ${to}`);
  // With an unsupported compiler, dependency-cruiser finds no modules and so no violations.
  const isBlind = totalCruised <= minModules;
  if (isBlind) lines.push(`only ${totalCruised} modules were cruised`);
  return { counts: verdict(error === 0 && !isBlind), text: `${lines.join("\n")}\n` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Maximum number of files that the quick check lints, nearest first: all files would take most of its 45 s. */
const maxLinted = 200;

async function checkChanges(): Promise<Counts> {
  const base = chooseBase(git);
  const changed = listChanged(base);
  const sources = readSources();
  const reached = listNearest(changed, sources, { withTypes: true }).filter((path) => existsSync(join(root, path)));
  const linted = reached.slice(0, maxLinted);
  const tests = nearestTests(changed, sources);
  const files = fitTests(tests, { changed, times: readTimes() });
  const some = (chosen: readonly string[], all: readonly string[]): string =>
    chosen.length < all.length ? `${chosen.length} of ${all.length}` : `all ${all.length}`;
  console.log(
    `Changed since ${base}. Types and lint: ${some(linted, reached)} files that the change reaches. Tests: ${some(files, tests)} files, nearest first. npm test checks all.`,
  );
  const projects = ["pure", "shared", "process"].flatMap((name) => ["--project", name]);
  const perform = () => runUnitTests([...files, "--passWithNoTests", ...projects]);
  // Without file names, oxlint would check all files and vitest would run all tests.
  const lint: Step[] = linted.length === 0 ? [] : [lintTool(linted)];
  const run: Step[] = files.length === 0 ? [] : [{ name: "tests of what changed", perform }];
  return await runLanes([lint, run], false);
}

/** Maximum sum of the durations of the quick check's tests, in ms; changed tests run in any case. */
const maxTestMs = 20_000;
/** Assumed duration of a test file that never ran here, in ms. */
const unknownMs = 3000;

type Known = { changed: readonly string[]; times: ReadonlyMap<string, number> };

/** Chooses changed tests, and of the others, in their order, each that still fits into `maxTestMs`. */
export function fitTests(tests: readonly string[], { changed, times }: Known): string[] {
  let sum = 0;
  return tests.filter((file) => {
    if (changed.includes(file)) return true;
    const ms = times.get(file) ?? unknownMs;
    if (sum + ms > maxTestMs) return false;
    sum += ms;
    return true;
  });
}

/** Chooses the merge base with origin/main, or the commit before the last if there is no origin or no difference. */
export function chooseBase(run: (args: readonly string[]) => string | undefined): string {
  const origin = run(["merge-base", "HEAD", "origin/main"]);
  const isSame =
    origin !== undefined && run(["diff", "--stat", origin]) === "" && !run(["ls-files", "-o", "--exclude-standard"]);
  return origin === undefined || isSame ? "HEAD~1" : origin;
}

function listChanged(base: string): string[] {
  const tracked = git(["diff", "--name-only", base]) ?? "";
  const fresh = git(["ls-files", "-o", "--exclude-standard"]) ?? "";
  return `${tracked}\n${fresh}`.split("\n").filter(Boolean);
}

function readSources(): Map<string, string> {
  const listed = git(["ls-files", "-co", "--exclude-standard", "*.ts", "*.tsx", "*.mjs"]) ?? "";
  // git still lists a file that was deleted, so reading it may fail.
  const read = (path: string): string => {
    try {
      return readFileSync(join(root, path), "utf8");
    } catch {
      return "";
    }
  };
  return new Map(listed.split("\n").map((path) => [path, read(path)]));
}

export function git(args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}

type Sources = ReadonlyMap<string, string>;

/** Lists the tests that reach changed files by imports at run time, in the order of `listNearest`. */
export function nearestTests(changed: readonly string[], sources: Sources): string[] {
  return listNearest(changed, sources, { withTypes: false }).filter((path) => /\.test\.tsx?$/.test(path));
}

/** Lists changed files and those that import them, nearest first, then by number of shared folders. */
function listNearest(changed: readonly string[], sources: Sources, options: { withTypes: boolean }): string[] {
  const importers = invert(sources, options);
  const reached = new Set<string>();
  let layer = changed.filter((path) => sources.has(path));
  while (layer.length > 0) {
    const near = layer.toSorted().toSorted((a, b) => closeness(b, changed) - closeness(a, changed));
    for (const path of near) reached.add(path);
    const next = new Set(layer.flatMap((path) => importers.get(path) ?? []));
    layer = [...next].filter((path) => !reached.has(path));
  }
  return [...reached];
}

function closeness(path: string, others: readonly string[]): number {
  const sharedWith = (other: string): number => path.split("/").findIndex((name, i) => name !== other.split("/")[i]);
  return Math.max(0, ...others.map(sharedWith));
}

function invert(sources: Sources, options: { withTypes: boolean }): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const [path, text] of sources) {
    for (const imported of listImports(path, text, options)) {
      importers.set(imported, [...(importers.get(imported) ?? []), path]);
    }
  }
  return importers;
}

/** Lists the modules of this repository that a file imports; type imports are ignored unless `withTypes`. */
function listImports(path: string, text: string, { withTypes }: { withTypes: boolean }): string[] {
  const statements = text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*"((?:#|\.)[^"]+)"/g);
  return [...statements]
    .filter(({ index }) => withTypes || !isOfTypes(text, index))
    .map(([, name = ""]) => (name.startsWith("#") ? pathOf(name.slice(1)) : posix.join(posix.dirname(path), name)));
}

function pathOf(name: string): string {
  return /^packages\/[^/]+$/.test(name) ? `${name}/index.ts` : name;
}

/** True if the import or export statement that contains the `from` at this offset concerns types only. */
function isOfTypes(text: string, from: number): boolean {
  const begin = Math.max(text.lastIndexOf("import ", from - 1), text.lastIndexOf("export ", from - 1));
  return begin !== -1 && /^(import|export) type\s[^;]*$/.test(text.slice(begin, from));
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

/** Lanes run in parallel. Unit tests use two cores; on more cores, browser tests run beside them. */
function lanesOf(name: string): Step[][] {
  if (name === "check") return [[...sourceChecks], [unit]];
  // Long-running (soak) tests spend their time waiting, so browser tests can run beside them.
  if (name === "soak") return [[unit], [build, browser]];
  return availableParallelism() >= 4
    ? [[...sourceChecks], [unit], [build, browser]]
    : [
        [...sourceChecks, build],
        [unit, browser],
      ];
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
  const numUnexplained = skips.filter(({ reason }) => reason === undefined).length;
  if (isStrict && numUnexplained > 0) console.log(`✗ ${numUnexplained} skipped without a reason`);
  const failures = done.flatMap(({ name, outcome }) => listFailures(name, outcome));
  if (failures.length > 0) console.log(`\nFailed:\n${failures.join("\n")}\n`);
  const failed = isStrict ? numUnexplained : 0;
  return addUp([...done.map(({ outcome }) => outcome.counts), { passed: 0, failed, skipped: 0 }]);
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
