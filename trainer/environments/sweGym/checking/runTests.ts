import type { Sandbox } from "../../sandbox/sandbox.ts";
import { testHarness } from "./guestCode.ts";

/** `reason` is what pytest writes after the dash; a file that could not be read is one `error` without a name. */
export type TestResult = {
  readonly file: string;
  readonly name: string;
  readonly outcome: "passed" | "failed" | "error";
  readonly reason: string;
};

/** Code and tests by path relative to the repository's root. */
export type Sources = Readonly<Record<string, string>>;

/**
 * Runs files of tests. A test that never ends is failed by the sandbox together with everything after it, so the run is
 * repeated without it.
 */
export function runTests(sandbox: Sandbox, sources: Sources, testFiles: readonly string[]): readonly TestResult[] {
  const timeouts: TestResult[] = [];
  for (;;) {
    const skipped = Object.fromEntries(timeouts.map(({ file, name }) => [`${file}::${name}`, true]));
    const plan = `const plan = ${JSON.stringify({ files: testFiles, skipped })};\n`;
    const { output, failure } = sandbox.run({
      files: { ...sources, [harness]: plan + testHarness },
      entry: harness,
    });
    const lines = output.map((line) => line.split("\t"));
    const results = lines.flatMap(([kind, file = "", name = "", reason = ""]): readonly TestResult[] => {
      if (kind !== "passed" && kind !== "failed" && kind !== "error") return [];
      return [{ outcome: kind, file, name, reason }];
    });
    const [lastKind, file = "", name = ""] = lines.at(-1) ?? [];
    const isNew = !timeouts.some((result) => result.file === file && result.name === name);
    if (failure === undefined || lastKind !== "running" || !isNew || timeouts.length >= maxTimeouts) {
      return settle([...results, ...timeouts], testFiles, failure !== undefined);
    }
    timeouts.push({ file, name, outcome: "failed", reason: failure.kind === "memory" ? "MemoryError" : "Timeout" });
  }
}

const maxTimeouts = 12;
/** No path that an import can name. */
const harness = "(tests)";

/** In the order of the files; a run that ended early while reading a file leaves that file as an error. */
function settle(results: readonly TestResult[], testFiles: readonly string[], isCut: boolean): readonly TestResult[] {
  return testFiles.flatMap((file): readonly TestResult[] => {
    const own = results.filter((result) => result.file === file);
    return own.length === 0 && isCut ? [{ file, name: "", outcome: "error", reason: "Timeout" }] : own;
  });
}

/** How many of the named tests pass: each time they ran, in a file that could be read. */
export function countPassed(results: readonly TestResult[], tests: readonly TestId[]): number {
  return tests.filter(({ file, name }) => {
    const own = results.filter(
      (result) => result.file === file && (result.name === name || result.outcome === "error"),
    );
    return own.length > 0 && own.every(({ outcome }) => outcome === "passed");
  }).length;
}

export type TestId = { readonly file: string; readonly name: string };

/** As pytest summarises: `PASSED`, `ERROR` and `FAILED` lines, then the counts. */
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
    ...passed.map(({ file, name }) => `PASSED ${file}::${name}`),
    ...errors.map(({ file, reason }) => `ERROR ${file} - ${reason}`),
    ...failed.map(({ file, name, reason }) => `FAILED ${file}::${name} - ${reason}`),
    counts.length > 0 ? counts.join(", ") : "no tests ran",
  ].join("\n");
}
