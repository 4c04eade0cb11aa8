import type { Rng } from "#trainer/spec/rng.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { probe, type ProbeCall, type ProbeResult } from "../checking/probe.ts";
import type { Sources, TestId } from "../checking/runTests.ts";
import { splitCode } from "../language/code.ts";
import { drawArgument } from "../library/argument.ts";
import type { LibraryFunction } from "../library/function.ts";
import type { Module } from "./layout.ts";

type Subject = { modules: readonly Module[]; asked: LibraryFunction; source: LibraryFunction; rng: Rng };
export type Tests = {
  readonly files: Sources;
  readonly failToPass: readonly TestId[];
  readonly passToPass: readonly TestId[];
  /** The call that the issue tells of, and its test. */
  readonly wrong: ProbeResult;
  readonly test: TestId;
};

/**
 * Calls of every function with what the correct code gives: at most three that the bug makes fail, the first of them of
 * the function that the issue is about, and at most eight that it does not. Nothing where no call shows the bug.
 */
export function drawTests(
  sandbox: Sandbox,
  versions: { correct: Sources; buggy: Sources },
  { modules, asked, source, rng }: Subject,
): Tests | undefined {
  const calls = modules.flatMap(({ path, functions }) =>
    functions.flatMap((own) => {
      const isSubject = own.name === asked.name || own.name === source.name;
      return drawCalls(own, path, { count: isSubject ? 8 : 3, rng });
    }),
  );
  const results = probe(sandbox, versions, calls)?.filter(isUsable) ?? [];
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

/** Different calls, the short ones only. */
function drawCalls(
  { name, kinds }: LibraryFunction,
  module: string,
  { count, rng }: { count: number; rng: Rng },
): readonly ProbeCall[] {
  const calls = new Map<string, ProbeCall>();
  for (let i = 0; i < 2 * count && calls.size < count; i++) {
    const args = kinds.map((kind) => drawArgument(kind, rng));
    const text = args.join(", ");
    if (countWords(text) <= maxCallWords) calls.set(text, { module, name, args });
  }
  return [...calls.values()];
}

export const maxCallWords = 32;
export const maxResultWords = 14;

/** What a test can expect and a report can show: a value that can be written, and not a long one. */
function isUsable({ correct, buggy }: ProbeResult): boolean {
  const isValue = !/undefined|NaN|Infinity|\.\.\.|\.\d{3}|^!/.test(correct);
  return isValue && countWords(correct) <= maxResultWords && countWords(buggy) <= maxResultWords;
}

function countWords(text: string): number {
  return splitCode(text).reduce((sum, word) => sum + (/^\d+$/.test(word) ? word.length : 1), 0);
}

function write(
  results: readonly ProbeResult[],
  numFailing: number,
  modules: readonly Module[],
): Pick<Tests, "files" | "failToPass" | "passToPass" | "test"> & { test: TestId } {
  const counts = new Map<string, number>();
  const ids = results.map((result): TestId => {
    const count = (counts.get(result.name) ?? 0) + 1;
    counts.set(result.name, count);
    return { file: testFileOf(result.module), name: `${result.name}_${count}` };
  });
  const files = modules.flatMap(({ path }): readonly (readonly [string, string])[] => {
    const own = results.flatMap((result, i) => (result.module === path ? [{ result, name: ids[i]?.name ?? "" }] : []));
    if (own.length === 0) return [];
    const names = [...new Set(own.map(({ result }) => result.name))];
    const tests = own.map(({ result: { name, args, correct }, name: title }) => {
      return `test("${title}", () => expect(${name}(${args.join(", ")})).toEqual(${correct}));`;
    });
    return [[testFileOf(path), [`import { ${names.join(", ")} } from "../${path}";`, "", ...tests, ""].join("\n")]];
  });
  return {
    files: Object.fromEntries(files),
    failToPass: ids.slice(0, numFailing),
    passToPass: ids.slice(numFailing),
    test: ids[0] ?? { file: "", name: "" },
  };
}

/** `src/series.js` is tested in `tests/series.test.js`. */
function testFileOf(module: string): string {
  return module.replace(/^src\/(.*)\.js$/, "tests/$1.test.js");
}
