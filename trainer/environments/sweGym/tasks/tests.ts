import type { Rng } from "#trainer/spec/rng.ts";
import { moduleName, type ProbeCall, type ProbeResult } from "../checking/probe.ts";
import type { Sources, TestId } from "../checking/runTests.ts";
import { splitCode } from "../language/lexer.ts";
import { drawArgument } from "../library/argument.ts";
import type { LibraryFunction } from "../library/function.ts";
import type { Module } from "./layout.ts";

type Subject = { modules: readonly Module[]; asked: LibraryFunction; source: LibraryFunction };
export type Tests = {
  readonly files: Sources;
  readonly failToPass: readonly TestId[];
  readonly passToPass: readonly TestId[];
  /** Failing call that the issue describes; `test` is the unit test for it. */
  readonly wrong: ProbeResult;
  readonly test: TestId;
};

/** Samples calls to test every function, with more calls of the buggy function and of the function in the issue. */
export function drawAllCalls({ modules, asked, source }: Subject, rng: Rng): readonly ProbeCall[] {
  return modules.flatMap(({ path, functions }) =>
    functions.flatMap((entry) => {
      const isSubject = entry.name === asked.name || entry.name === source.name;
      return drawCalls(entry, path, { count: isSubject ? 8 : 3, rng });
    }),
  );
}

/**
 * Makes unit tests from calls and their correct results: at most three tests that fail because of the bug, and at
 * most eight that pass. The first failing test calls the function. Undefined if the bug changes no usable
 * result of that function.
 */
export function chooseTests(probed: readonly ProbeResult[], { modules, asked, source }: Subject): Tests | undefined {
  const results = probed.filter(isUsable);
  const wrong = results.find((result) => result.name === asked.name && !result.isSame);
  if (wrong === undefined) return undefined;
  const isOfSubject = ({ name }: ProbeResult): boolean => name === asked.name || name === source.name;
  const failing = results.filter((result) => !result.isSame && result !== wrong);
  const failToPass = [
    wrong,
    ...failing.filter(isOfSubject).slice(0, 1),
    ...failing.filter((r) => !isOfSubject(r)),
  ].slice(0, 3);
  const passing = results.filter(({ isSame }) => isSame);
  const others = modules.flatMap(({ functions }) =>
    functions.flatMap(({ name }) =>
      passing.filter((result) => result.name === name).slice(0, name === source.name ? 2 : 1),
    ),
  );
  const passToPass = [...others.filter(isOfSubject), ...others.filter((r) => !isOfSubject(r))].slice(0, 8);
  return { ...write([...failToPass, ...passToPass], failToPass.length, modules), wrong };
}

/** Samples up to `count` different calls of a function whose arguments have short texts. */
function drawCalls(
  { name, kinds }: LibraryFunction,
  path: string,
  { count, rng }: { count: number; rng: Rng },
): readonly ProbeCall[] {
  const calls = new Map<string, ProbeCall>();
  for (let i = 0; i < 2 * count && calls.size < count; i++) {
    const args = kinds.map((kind) => drawArgument(kind, rng));
    const text = args.join(", ");
    if (countWords(text) <= maxCallWords) calls.set(text, { path, name, args });
  }
  return [...calls.values()];
}

export const maxCallWords = 32;
export const maxResultWords = 14;

/** True if a unit test can assert the call's correct result, and both results are short enough for a report. */
function isUsable({ correct, buggy }: ProbeResult): boolean {
  const isValue = !/\b(?:nan|inf)\b|\.\d{3}|^!/.test(correct) && !/ at 0x/.test(buggy);
  return isValue && countWords(correct) <= maxResultWords && countWords(buggy) <= maxResultWords;
}

function countWords(text: string): number {
  return splitCode(text).reduce((sum, word) => sum + (/^\d+$/.test(word) ? word.length : 1), 0);
}

function write(results: readonly ProbeResult[], numFailing: number, modules: readonly Module[]): Omit<Tests, "wrong"> {
  const counts = new Map<string, number>();
  const ids = results.map((result): TestId => {
    const count = (counts.get(result.name) ?? 0) + 1;
    counts.set(result.name, count);
    return { file: testFileOf(result.path), name: `${testClassOf(result.path)}::test_${result.name}_${count}` };
  });
  const files = modules.flatMap(({ path }): readonly (readonly [string, string])[] => {
    const shown = results.flatMap((result, i) => (result.path === path ? [{ result, id: ids[i]?.name ?? "" }] : []));
    if (shown.length === 0) return [];
    const names = [...new Set(shown.map(({ result }) => result.name))];
    const tests = shown.flatMap(({ result: { name, args, correct }, id }) => [
      "",
      `    def ${id.split("::")[1] ?? ""}(self):`,
      `        self.assertEqual(${name}(${args.join(", ")}), ${correct})`,
    ]);
    const head = ["import unittest", "", `from ${moduleName(path)} import ${names.join(", ")}`, "", ""];
    const text = [...head, `class ${testClassOf(path)}(unittest.TestCase):`, ...tests.slice(1), ""].join("\n");
    return [[testFileOf(path), text]];
  });
  return {
    files: Object.fromEntries(files),
    failToPass: ids.slice(0, numFailing),
    passToPass: ids.slice(numFailing),
    test: ids[0] ?? { file: "", name: "" },
  };
}

/** Returns the path of a code file's test file: `tests/test_series.py` for `src/series.py`. */
function testFileOf(path: string): string {
  return path.replace("src/", "tests/test_");
}

/** Returns the name of a code file's test class: `TestSeries` for `src/series.py`. */
export function testClassOf(path: string): string {
  const name = path.slice("src/".length, -".py".length);
  return `Test${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
