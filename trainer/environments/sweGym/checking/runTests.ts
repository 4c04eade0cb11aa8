import type { Programs } from "../../programs.ts";
import { split } from "#trainer/spec/rng.ts";
import { harness } from "./harness.ts";

/** Result of one unit test; `reason` is pytest's text. A file that cannot be imported has one nameless `error`. */
export type TestResult = {
  readonly file: string;
  readonly name: string;
  readonly outcome: "passed" | "failed" | "error";
  readonly reason: string;
};

/** Texts of code and test files, by path relative to the repository's root. */
export type Sources = Readonly<Record<string, string>>;

export type TestId = { readonly file: string; readonly name: string };

/**
 * Runs the `unittest` cases of all test files in one Python program, in pytest's order. A test that never ends, or
 * accesses anything outside the sandbox, stops the program. The run is then repeated without that test.
 */
export function runTests(
  python: Programs["python"],
  sources: Sources,
  files: readonly string[],
): readonly TestResult[] {
  const testFiles = files.toSorted();
  const stops: TestResult[] = [];
  for (;;) {
    const { lines, isDone, problem } = runOnce(python, { files: sources, testFiles, skipped: stops.map(idOf) });
    const results = lines.flatMap(([kind, file = "", name = "", reason = ""]): readonly TestResult[] => {
      if (kind !== "passed" && kind !== "failed" && kind !== "error") return [];
      return [{ outcome: kind, file, name, reason }];
    });
    const [kind, file = "", name = ""] = lines.at(-1) ?? [];
    const stopped = { name: "", outcome: "error", reason: problem } as const;
    // A program that printed no result was stopped by a limit, so every test file counts as stopped.
    if (kind === undefined && !isDone) return testFiles.map((testFile) => ({ file: testFile, ...stopped }));
    if (kind === "running" && name === "" && !isDone) return [{ file, ...stopped }];
    if (isDone || kind !== "running" || stops.length >= maxStops) {
      return testFiles.flatMap((testFile) => [...results, ...stops].filter((result) => result.file === testFile));
    }
    stops.push({ file, name, outcome: "failed", reason: problem });
  }
}

const maxStops = 12;
/** Limit on Python's jumps and calls in one test run. Six modules of six functions take up to 32,000. */
const maxOperations = 100_000;
const maxOutputChars = 64_000;

type Request = { files: Sources; testFiles: readonly string[]; skipped: readonly string[] };

type Ended = { lines: readonly string[][]; isDone: boolean; problem: string };

/** Runs the tests once. Result lines begin with a secret key, unlike lines printed by the code under test. */
function runOnce(python: Programs["python"], request: Request): Ended {
  const key = String(split("tests", JSON.stringify(request)).int(2 ** 31));
  const source = `run_tests(${toLiteral({ key, ...request })})`;
  const { stdout, error, isTimeout } = python({ source, prelude: harness, maxOperations, maxOutputChars });
  const lines = stdout.split("\n").flatMap((line) => (line.startsWith(`${key}\t`) ? [line.split("\t").slice(1)] : []));
  return {
    lines: lines.filter(([kind]) => kind !== "done"),
    isDone: lines.at(-1)?.[0] === "done",
    problem: isTimeout || error === "" ? "Timeout" : error,
  };
}

/** Returns a Python string literal whose value is the JSON text of `value`. */
export function toLiteral(value: unknown): string {
  return JSON.stringify(JSON.stringify(value));
}

function idOf({ file, name }: TestId): string {
  return `${file}::${name}`;
}

/** Returns how many of the named tests pass. A test passes if its file was imported and all its runs passed. */
export function countPassed(results: readonly TestResult[], tests: readonly TestId[]): number {
  return tests.filter(({ file, name }) => {
    const matching = results.filter(
      (result) => result.file === file && (result.name === name || result.outcome === "error"),
    );
    return matching.length > 0 && matching.every(({ outcome }) => outcome === "passed");
  }).length;
}

/** Formats test results as pytest's summary: `PASSED`, `ERROR` and `FAILED` lines, then the counts. */
export function formatReport(results: readonly TestResult[]): string {
  const of = (outcome: TestResult["outcome"]): readonly TestResult[] =>
    results.filter((result) => result.outcome === outcome);
  const [passed, failed, errors] = [of("passed"), of("failed"), of("error")];
  const counts = [
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(passed.length > 0 ? [`${passed.length} passed`] : []),
    ...(errors.length > 0 ? [`${errors.length} error${errors.length > 1 ? "s" : ""}`] : []),
  ];
  return [
    ...passed.map((result) => `PASSED ${idOf(result)}`),
    ...errors.map(({ file, reason }) => `ERROR ${file} - ${reason}`),
    ...failed.map((result) => `FAILED ${idOf(result)} - ${result.reason}`),
    counts.length > 0 ? counts.join(", ") : "no tests ran",
  ].join("\n");
}
