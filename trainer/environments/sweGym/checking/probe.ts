import { z } from "zod";
import type { Programs } from "../../programs.ts";
import { harness } from "./harness.ts";
import { toLiteral, type Sources } from "./runTests.ts";

/** A call in Python: the module of its function, as imports name it, and its text. */
export type ProbeCall = { readonly path: string; readonly name: string; readonly args: readonly string[] };

/**
 * What a call gives in the correct code and in the one with the bug, an error after a `!`; and, where they are not the
 * same, how a test of it fails.
 */
export type ProbeResult = ProbeCall & {
  readonly correct: string;
  readonly buggy: string;
  readonly reason: string;
  readonly isSame: boolean;
};

/** Two versions of a repository, and calls to compare them by. */
export type Probe = {
  readonly versions: { readonly correct: Sources; readonly buggy: Sources };
  readonly calls: readonly ProbeCall[];
};

/** Many probes in one program; nothing for one whose bug keeps a call from ending, or the code from being imported. */
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
    // The first one without an answer is what stopped the program.
    if (answers.length < left.length) results.push(undefined);
  }
  return results;
}

const maxProbes = 32;
/** Jumps and calls of Python: several times what so many probes take. */
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

/** What an import calls a file: `src.series` for `src/series.py`. */
export function moduleName(path: string): string {
  return path.replace(/\.py$/, "").replaceAll("/", ".");
}
