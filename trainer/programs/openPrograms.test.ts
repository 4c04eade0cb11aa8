import { afterAll, describe, expect, it } from "vitest";
import { makeSandbox } from "#trainer/environments/sandbox/sandbox.ts";
import { solutionPrelude as prelude } from "#trainer/environments/tirMath/feedback.ts";
import { loadPython } from "#trainer/python/loadPython.ts";
import { openPrograms } from "./openPrograms.ts";

const limits = { cpuMs: 1_500, wallMs: 60_000, memoryBytes: 2 ** 29 };
const [python, programs, inJavaScript] = await Promise.all([
  loadPython(),
  openPrograms("tirMath", limits),
  openPrograms("sweGym", limits),
]);
afterAll(() => Promise.all([programs.close(), inJavaScript.close()]));
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
  ])("says in its process what it says here: %s", (code) =>
    expect(programs.python({ source: code, prelude })).toEqual(python({ source: code, prelude })),
  );

  it.each(["print(1)", "throw new TypeError('no')", "while (true);", "'x'.repeat(1e9)", "for (;;) print('x')"])(
    "does so in JavaScript: %s",
    (source) => expect(inJavaScript.sandbox.run(javascript(source))).toEqual(sandbox.run(javascript(source))),
  );
});

/** A rollout with the other kinds: trainer/run/hostilePrograms.test.ts. */
describe("a program that nobody could count", () => {
  it("is timed out, and the next one runs", () => {
    const source = "x = ()\nfor i in range(60): x = (x, x)\nhash(x)";
    expect(programs.python({ source, prelude })).toEqual({ stdout: "", error: "", isTimeout: true });
    expect(programs.python({ source: "print(1)", prelude })).toEqual({ stdout: "1\n", error: "", isTimeout: false });
  });
});
