import { afterAll, describe, expect, it } from "vitest";
import { makeSandbox } from "#trainer/environments/sandbox/sandbox.ts";
import { runSolution } from "#trainer/environments/tirMath/feedback.ts";
import { openPrograms } from "./openPrograms.ts";

const programs = await openPrograms({ cpuMs: 1_500, wallMs: 60_000, memoryBytes: 2 ** 29 });
afterAll(() => programs.close());
const sandbox = await makeSandbox();
const javascript = (source: string) => ({ files: { "main.js": source }, entry: "main.js" });

describe("a program that ends", () => {
  it.each([
    "print(6 * 7)",
    "final_answer(3)",
    "1 / 0",
    "print('\\ud800 é')",
    "while True: pass",
    "def f(n): return f(n + 1)\nf(0)",
    "",
  ])("says in its process what it says here: %s", (code) => expect(programs.python(code)).toEqual(runSolution(code)));

  it.each(["print(1)", "throw new TypeError('no')", "while (true);", "'x'.repeat(1e9)", "for (;;) print('x')"])(
    "does so in JavaScript: %s",
    (source) => expect(programs.sandbox.run(javascript(source))).toEqual(sandbox.run(javascript(source))),
  );
});

describe("a program that nobody could count", () => {
  it.each([
    ["a hash of nested tuples", "x = ()\nfor i in range(60): x = (x, x)\nhash(x)"],
    ["a power of a fraction", "from fractions import Fraction\nprint(Fraction(3) ** (10 ** 9))"],
    ["divisors of large numbers", "import math\na = 3 ** 22000\nfor i in range(100000): math.gcd(a + i, 5 ** 15000)"],
  ])("is timed out or out of memory: %s", (_, code) => {
    const { isTimeout, error } = programs.python(code);
    expect(isTimeout || error === "MemoryError").toBe(true);
    expect(programs.python("print(1)")).toEqual({ stdout: "1\n", error: "", isTimeout: false });
  });

  it("is interrupted in JavaScript too", () => {
    const endless = javascript("[].concat({ length: 2 ** 53 - 2, [Symbol.isConcatSpreadable]: true })");
    expect(programs.sandbox.run(endless)).toMatchObject({ failure: { kind: "operations", message: "interrupted" } });
    expect(programs.sandbox.run(javascript("print(1)"))).toEqual({ output: ["1"], failure: undefined });
  });
});
