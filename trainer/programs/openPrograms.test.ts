import { afterAll, describe, expect, it } from "vitest";
import { solutionPrelude as prelude } from "#trainer/environments/tirMath/feedback.ts";
import { loadPython } from "#trainer/python/loadPython.ts";
import { openPrograms } from "./openPrograms.ts";

const limits = { cpuMs: 3_000, wallMs: 60_000, memoryBytes: 2 ** 29 };
const [python, programs] = await Promise.all([loadPython(), openPrograms(limits)]);
afterAll(() => programs.close());

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
});

/** Rollouts with other kinds of hostile programs are tested in trainer/run/hostilePrograms.test.ts. */
describe("a program that nobody could count", () => {
  it("is timed out, and the next one runs", { tags: "soak" }, () => {
    const source = "x = ()\nfor i in range(60): x = (x, x)\nhash(x)";
    expect(programs.python({ source, prelude })).toEqual({ stdout: "", error: "", isTimeout: true });
    expect(programs.python({ source: "print(1)", prelude })).toEqual({ stdout: "1\n", error: "", isTimeout: false });
  });
});
