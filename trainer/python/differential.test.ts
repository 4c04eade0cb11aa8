import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { wheelsOf } from "#trainer/spec/environments/pythonPackages.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import { loadPython } from "./loadPython.ts";
import { noPackages } from "./packages.ts";
import { mathPrograms } from "./testing/mathPrograms.ts";
import { programs } from "./testing/programs.ts";
import { sympyPrograms } from "./testing/sympyPrograms.ts";
import { findSympy } from "./testing/wheels.ts";

/** Python code that runs programs from standard input, and reports each output and the traceback's last line. */
const harness = `
import contextlib, io, json, os, signal, sys, warnings
warnings.simplefilter("ignore")
class OutOfTime(BaseException): pass
def stop(*_): raise OutOfTime()
for name in os.environ["PACKAGES"].split(): __import__(name)
signal.signal(signal.SIGALRM, stop)
def run(source):
    out, err = io.StringIO(), io.StringIO()
    names = {"__name__": "__main__", "__doc__": None, "__builtins__": __builtins__}
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        signal.setitimer(signal.ITIMER_REAL, 20 if os.environ["PACKAGES"] else 2)
        try: exec(compile(source, "<string>", "exec"), names)
        except OutOfTime: return None
        except SystemExit: pass
        except BaseException as e: sys.__excepthook__(type(e), e, e.__traceback__.tb_next)
        finally: signal.setitimer(signal.ITIMER_REAL, 0)
    return {"stdout": out.getvalue(), "error": err.getvalue().rstrip().split("\\n")[-1]}
print(json.dumps([run(source) for source in json.load(sys.stdin)]))
`;

type Outcome = { stdout: string; error: string };

/** Runs programs in CPython. Returns undefined if there is no Python 3.11, and null for a program that does not end. */
function askPython(sources: readonly string[], packages = noPackages): readonly (Outcome | null)[] | undefined {
  const version = spawnSync("python3", ["--version"], { encoding: "utf8" });
  if (version.error !== undefined || !version.stdout.startsWith("Python 3.11.")) return undefined;
  const wheels = wheelsOf(packages.names).map(({ file }) => join(packages.folder, file));
  const env = { ...process.env, PYTHONPATH: wheels.join(delimiter), PACKAGES: packages.names.join(" ") };
  const options = { input: JSON.stringify(sources), encoding: "utf8", maxBuffer: 2 ** 26, env } as const;
  const { stdout, stderr } = spawnSync("python3", ["-c", harness], options);
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

const isThere = askPython([]) !== undefined;
const python = await loadPython();

function runHere(source: string, run = python): Outcome | null {
  const { stdout, error, isTimeout } = run({ source, maxOutputChars: 200_000 });
  return isTimeout || error === "MemoryError" ? null : { stdout: inWordsOfGlibc(stdout), error };
}

/** False for programs that print memory addresses or need missing packages. */
function isComparable(theirs: Outcome | null, ours: Outcome | null): boolean {
  const left = /0x[0-9a-f]{6,}|No module named|\(unknown location\)/;
  return theirs !== null && ours !== null && !left.test(theirs.stdout + theirs.error + ours.error);
}

/**
 * Matches programs whose output depends on hashes. WebAssembly addresses, and therefore hashes, have 32 bits
 * (`sys.hash_info.width`). So `hash` returns other values, and sets of large numbers, negative numbers or tuples have a
 * different order.
 */
const showsHashes = /\bhash\(|\{2\*\*70/;

/** Replaces musl's numbers and messages of C library errors by those of glibc. */
function inWordsOfGlibc(text: string): string {
  return text.replaceAll("(68, 'Result not representable')", "(34, 'Numerical result out of range')");
}

function compare(all: readonly string[]): { share: number; count: number; differences: readonly string[] } {
  const sources = all.filter((source) => !showsHashes.test(source));
  const theirs = askPython(sources) ?? [];
  const pairs = sources.map((source, i) => ({ source, theirs: theirs[i] ?? null, ours: runHere(source) }));
  const compared = pairs.filter((pair) => isComparable(pair.theirs, pair.ours));
  const differences = compared.filter((pair) => JSON.stringify(pair.theirs) !== JSON.stringify(pair.ours));
  return {
    share: 1 - differences.length / compared.length,
    count: compared.length,
    differences: differences.map((pair) => JSON.stringify(pair, undefined, 1)),
  };
}

describe.skipIf(!isThere)("beside CPython 3.11 (needs Python 3.11 as python3)", () => {
  it("programs print the same and end the same", () => {
    const { count, differences } = compare(programs);
    expect(differences).toEqual([]);
    expect(count).toBeGreaterThan(60);
  });

  it("programs for mathematics, as models write them, print the same and end the same", { tags: "soak" }, () => {
    const { count, share, differences } = compare(mathPrograms);
    console.log(`${mathPrograms.length} programs for mathematics, ${count} compared, ${differences.length} differ`);
    // The C library of the interpreter rounds functions such as atan2 differently in the last digit.
    expect(share, differences.join("\n")).toBeGreaterThan(0.98);
    // Five programs are not compared, because they import packages.
    expect(count).toBe(mathPrograms.length - 5);
  });

  it(
    "programs with sympy print the same and end the same, each within what a program may count",
    { tags: "soak", timeout: 900_000 },
    async (context) => {
      const packages = await findSympy();
      if (packages === undefined) return context.skip("sympy is fetched from a package index (needs PyPI)");
      const sources = sympyPrograms;
      const theirs = askPython(sources, packages) ?? [];
      const run = await loadPython(packages);
      const differences = sources.flatMap((source, i) => {
        const pair = { theirs: theirs[i] ?? null, here: runHere(source, run) };
        return pair.theirs !== null && JSON.stringify(pair.theirs) === JSON.stringify(pair.here)
          ? []
          : [JSON.stringify({ source, ...pair }, undefined, 1)];
      });
      console.log(`${sources.length} programs with sympy, ${differences.length} differ`);
      expect(differences).toEqual([]);
    },
  );

  it("programs with mistakes end in the same words", { tags: inBoth }, () => {
    const rng = split(0, "mutations");
    const short = programs.filter((source) => source.length < 400);
    const sources = Array.from({ length: isSoak ? 800 : 200 }, () => mutate(short[rng.int(short.length)] ?? "", rng));
    const { count, share, differences } = compare(sources);
    console.log(`${count} programs with mistakes, ${differences.length} differ`);
    expect(share, differences.slice(0, 5).join("\n")).toBeGreaterThan(0.985);
  });

  it("random expressions have the same values", { tags: "soak" }, () => {
    const rng = split(0, "expressions");
    const sources = Array.from({ length: 150 }, () =>
      Array.from({ length: 8 }, () => guarded(expression(rng, 3))).join("\n"),
    );
    expect(compare(sources).differences).toEqual([]);
  });
});

const lexeme = /\n *|[A-Za-z_]\w*|\d+\.?\d*|"[^"\n]*"|'[^'\n]*'|[-+*/%<>=!&|^]=?|[^\w\s]|[ \t]+/g;

/** Returns a mutated program, in which one to three words are deleted, duplicated, replaced or swapped. */
function mutate(source: string, rng: Rng): string {
  const words = source.match(lexeme) ?? [];
  for (let i = 1 + rng.int(3); i > 0; i--) {
    const [at, from] = [rng.int(words.length), rng.int(words.length)];
    const [here = "", there = ""] = [words[at], words[from]];
    const changes = [[], [here, here], [there], [` ${there} `, here]];
    words.splice(at, 1, ...(changes[rng.int(changes.length)] ?? []));
  }
  return words.join("").trim();
}

const guarded = (source: string): string => `try: print(${source})\nexcept Exception as e: print(type(e).__name__, e)`;

const numbers = ["0", "1", "-3", "7", "10**20", "2**64", "0.5", "-1.25", "1e300", "True", "3", "255"];
const binaries = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<", "<=", "==", "!=", "and", "or"];
const calls = ["abs", "round", "int", "float", "str", "bool", "repr", "hex", "bin", "-", "not ", "~"];

function expression(rng: Rng, depth: number): string {
  const pick = (items: readonly string[]): string => items[rng.int(items.length)] ?? "";
  if (depth === 0 || rng.int(5) === 0) return pick(numbers);
  const [a, b] = [expression(rng, depth - 1), expression(rng, depth - 1)];
  switch (rng.int(7)) {
    case 0:
      return `${pick(calls)}(${a})`;
    case 1:
      return `(${a} if ${b} else ${expression(rng, depth - 1)})`;
    case 2:
      return `${pick(["max", "min", "divmod", "pow"])}(${a}, ${pick(["2", "3", "-1", "0.5", b])})`;
    case 3:
      return `[${a}, ${b}, 5][${pick(["0", "1", "-1", "2", "::-1", "3"])}]`;
    case 4:
      return `f"{${a}:${pick(["", ".2f", "g", ">12", "e", "+", ",", "08.1f", "d"])}}"`;
    default:
      return `(${a} ${pick(binaries)} ${b})`;
  }
}
