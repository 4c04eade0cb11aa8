import { describe, expect, it } from "vitest";
import { loadPython } from "#trainer/python/loadPython.ts";
import { runProbes } from "./probe.ts";
import { countPassed, formatReport, runTests, type Sources } from "./runTests.ts";

const python = await loadPython();
const testOf = (...bodies: readonly string[]): string =>
  [
    "import unittest",
    "from src.one import f",
    "class TestOne(unittest.TestCase):",
    ...bodies.map((body, i) => `    def test_${i}(self):\n        ${body}`),
  ].join("\n");
const run = (code: string, ...bodies: readonly string[]) =>
  runTests(python, { "src/one.py": code, "tests/test_one.py": testOf(...bodies) }, ["tests/test_one.py"]);
const outcomes = (code: string, ...bodies: readonly string[]) =>
  run(code, ...bodies).map(({ name, outcome, reason }) => [name.slice(-1), outcome, reason].join(" ").trim());

describe("a run of tests", () => {
  const f = "def f(x):\n    return x";

  it("says what pytest says", () => {
    const results = run(
      f,
      "self.assertEqual(f(1), 2)",
      "self.assertEqual([f(1)], [2])",
      "self.assertEqual(f(2), 2)",
      "f()",
    );
    expect(formatReport(results)).toBe(
      [
        "PASSED tests/test_one.py::TestOne::test_2",
        "FAILED tests/test_one.py::TestOne::test_0 - AssertionError: 1 != 2",
        "FAILED tests/test_one.py::TestOne::test_1 - AssertionError: Lists differ: [1] != [2]",
        "FAILED tests/test_one.py::TestOne::test_3 - TypeError: f() missing 1 required positional argument: 'x'",
        "3 failed, 1 passed",
      ].join("\n"),
    );
    expect(countPassed(results, [{ file: "tests/test_one.py", name: "TestOne::test_2" }])).toBe(1);
  });

  it.each([
    ["an endless loop", "while True: pass", "Timeout"],
    ["calls without end", "\n        def g(n): return g(n - 1) + g(n - 1) if n else 0\n        g(60)", "Timeout"],
    ["what catches everything", "\n        try:\n            while True: pass\n        except: pass", "Timeout"],
    ["a shell", "import os; os.system('id')", "PermissionError: [Errno 1] Operation not permitted"],
  ])("goes on after %s", (_, body, reason) => {
    expect(outcomes(f, body, "self.assertEqual(f(1), 1)").toSorted()).toEqual([`0 failed ${reason}`, "1 passed"]);
  });

  it("runs nothing where a file cannot be imported", () => {
    const sources: Sources = { "src/one.py": f, "tests/test_a.py": "1 +", "tests/test_one.py": testOf("f(1)") };
    expect(runTests(python, sources, ["tests/test_one.py", "tests/test_a.py"])).toEqual([
      { file: "tests/test_a.py", name: "", outcome: "error", reason: "SyntaxError: invalid syntax" },
    ]);
    expect(outcomes("while True: pass\ndef f(): pass", "f()")).toEqual(["error Timeout"]);
  });

  it("depends on no run before it", () => {
    const bodies = [
      "self.assertEqual(f(1), 1)",
      "self.assertEqual(f({1, 'a', None}), 2)",
      "raise ValueError(object())",
    ];
    const before = run(f, ...bodies);
    run("import unittest, sys\nunittest.TestCase.assertEqual = None\nsys.path[:] = []\nf = 1", "f()");
    run("x = [0] * 10 ** 6\ndef f(n): return f(n + 1)", "f(0)");
    expect(run(f, ...bodies)).toEqual(before);
  });
});

describe("probes", () => {
  const version = (body: string): Sources => ({ "src/one.py": `def f(x):\n    ${body}` });
  const probeOf = (body: string) => ({
    versions: { correct: version("return x + 1"), buggy: version(body) },
    calls: [{ path: "src/one.py", name: "f", args: ["1"] }],
  });

  it("compare two versions, many in a program, whatever one of them does", () => {
    const bodies = ["return x + 1.0", "return x", "return x + 'a'", "while True: pass", "return (", "return x - 1"];
    const results = runProbes(
      python,
      bodies.map((body) => probeOf(body)),
    );
    expect(
      results.map((result) => result?.map(({ correct, buggy, reason, isSame }) => [correct, buggy, reason, isSame])),
    ).toEqual([
      [["2", "2.0", "", true]],
      [["2", "1", "AssertionError: 1 != 2", false]],
      [
        [
          "2",
          "!TypeError: unsupported operand type(s) for +: 'int' and 'str'",
          "TypeError: unsupported operand type(s) for +: 'int' and 'str'",
          false,
        ],
      ],
      undefined,
      undefined,
      [["2", "0", "AssertionError: 0 != 2", false]],
    ]);
  });
});
