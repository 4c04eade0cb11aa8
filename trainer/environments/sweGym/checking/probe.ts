import { z } from "zod";
import type { Programs } from "../../programs.ts";
import { harness } from "./harness.ts";
import { toLiteral, type Sources } from "./runTests.ts";

/** A Python call that tests a function: path of the function's file, its name, and literals of the arguments. */
export type ProbeCall = { readonly path: string; readonly name: string; readonly args: readonly string[] };

/**
 * Results of one call in the correct and in the buggy code; an exception is written as `!` and its text. If the results
 * differ, `reason` is the message with which a unit test of this call would fail.
 */
export type ProbeResult = ProbeCall & {
  readonly correct: string;
  readonly buggy: string;
  readonly reason: string;
  readonly isSame: boolean;
};

/** Correct and buggy version of a repository, and calls that are made in both to see if the bug shows. */
export type Probe = {
  readonly versions: { readonly correct: Sources; readonly buggy: Sources };
  readonly calls: readonly ProbeCall[];
};

/** Runs probes, up to 32 per program. A result is undefined if the import fails or a call does not end. */
export function runProbes(
  python: Programs["python"],
  probes: readonly Probe[],
): readonly (readonly ProbeResult[] | undefined)[] {
  const results: (readonly ProbeResult[] | undefined)[] = [];
  while (results.length < probes.length) {
    const left = probes.slice(results.length, results.length + maxProbes);
    const answers = runOnce(python, left);
    for (const [i, answer] of answers.entries()) {
      const calls = left[i]?.calls ?? [];
      results.push(
        answer?.flatMap(([correct, buggy, reason, isSame], k) => {
          const call = calls[k];
          return call === undefined ? [] : [{ ...call, correct, buggy, reason, isSame }];
        }),
      );
    }
    // The Python program stopped at the first probe without a result, so that probe gives undefined.
    if (answers.length < left.length) results.push(undefined);
  }
  return results;
}

const maxProbes = 32;
/** Limit on Python's jumps and calls in one program. 32 probes need a small part of it. */
const maxOperations = 1_000_000;
const maxOutputChars = 2 ** 20;

const Answer = z.nullable(z.array(z.tuple([z.string(), z.string(), z.string(), z.boolean()])));

function runOnce(python: Programs["python"], probes: readonly Probe[]): readonly z.infer<typeof Answer>[] {
  const request = probes.map(({ versions: { correct, buggy }, calls }) => ({
    versions: [correct, buggy],
    calls: calls.map(({ path, name, args }) => [moduleName(path), `${name}(${args.join(", ")})`]),
  }));
  const source = `run_probes(${toLiteral(request)})`;
  const { stdout } = python({ source, prelude: harness, maxOperations, maxOutputChars });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => Answer.parse(JSON.parse(line)));
}

/** Returns the module name of a file as imports write it: `src.series` for `src/series.py`. */
export function moduleName(path: string): string {
  return path.replace(/\.py$/, "").replaceAll("/", ".");
}
