import { basename } from "node:path";
import { loadPyodide } from "pyodide";
import { describe, expect, it } from "vitest";
import { findLibrary, librarySha256 } from "./library.ts";
import { loadPython } from "./loadPython.ts";

const python = await loadPython();
const runPython = (source: string) => python({ source });

const lines = (...text: string[]): string => text.join("\n");
const outputOf = (...program: string[]): string => runPython(lines(...program)).stdout;
const errorOf = (...program: string[]): string => runPython(lines(...program)).error;

describe("programs", () => {
  it.each([
    ["print(7 // -2, -7 % 3, 2 ** 100, 7 / 2)", "-4 2 1267650600228229401496703205376 3.5\n"],
    ["print(round(2.5), round(2.675, 2), 0.1 + 0.2, 1e16)", "2 2.67 0.30000000000000004 1e+16\n"],
    ["print({3, 1, 2}, {10, 5, 100, 7})", "{1, 2, 3} {10, 100, 5, 7}\n"],
    ["print(f'{3.14159:.2f} {42:05d} {1234567:,} {0.5:.0%}')", "3.14 00042 1,234,567 50%\n"],
    ["a, *b = range(4); print(a, b, [x for x in b if x % 2])", "0 [1, 2, 3] [1, 3]\n"],
    ["from fractions import Fraction as F; print(F(1, 3) + F(1, 6))", "1/2\n"],
  ])("%s", (program, stdout) => expect(runPython(program)).toEqual({ stdout, error: "", isTimeout: false }));

  it("keeps what was printed before an error", () => {
    expect(runPython(lines("print(1)", "print(1 / 0)"))).toEqual({
      stdout: "1\n",
      error: "ZeroDivisionError: division by zero",
      isTimeout: false,
    });
  });

  it("runs generators, closures, classes and exceptions", () => {
    const program = lines(
      "class Tree:",
      "    def __init__(self, *children): self.children = children",
      "    def __iter__(self):",
      "        yield self",
      "        for child in self.children: yield from child",
      "def count(tree):",
      "    n = 0",
      "    def add():",
      "        nonlocal n",
      "        n += 1",
      "    for _ in tree: add()",
      "    return n",
      "try:",
      "    print(count(Tree(Tree(), Tree(Tree()))))",
      "    count(5)",
      "except TypeError as error:",
      "    print(error)",
      "finally:",
      "    print('done')",
    );
    expect(outputOf(program)).toBe("4\n'int' object is not iterable\ndone\n");
  });
});

describe("errors are the last line CPython prints", () => {
  it.each([
    ["print(foo)", "NameError: name 'foo' is not defined"],
    ["prnt(1)", "NameError: name 'prnt' is not defined. Did you mean: 'print'?"],
    ["[].appendd(1)", "AttributeError: 'list' object has no attribute 'appendd'. Did you mean: 'append'?"],
    ["print(1 2)", "SyntaxError: invalid syntax. Perhaps you forgot a comma?"],
    ["if x = 3: pass", "SyntaxError: invalid syntax. Maybe you meant '==' or ':=' instead of '='?"],
    ["print((1, 2)", "SyntaxError: '(' was never closed"],
    ["import numpy", "ModuleNotFoundError: No module named 'numpy'"],
    ["x = 5 % 0", "ZeroDivisionError: integer modulo by zero"],
  ])("%s", (program, error) => expect(errorOf(program)).toBe(error));

  it("knows a missing block by its line", () => {
    expect(errorOf("x = 1", "for i in range(3):", "print(i)")).toBe(
      "IndentationError: expected an indented block after 'for' statement on line 2",
    );
  });
});

describe("limits", () => {
  it("stops endless programs", { tags: "soak" }, () => {
    expect(runPython("while True: pass").isTimeout).toBe(true);
    expect(runPython(lines("print('started')", "x = 1", "while x: x += 1")).stdout).toBe("started\n");
    expect(runPython(lines("def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)", "fib(40)")).isTimeout).toBe(
      true,
    );
    expect(runPython("import time; time.sleep(10 ** 6)").isTimeout).toBe(true);
    expect(runPython(lines("try:", "    while True: pass", "except: print('caught')")).stdout).toBe("");
  });

  it.each([
    ["x = [0] * 10 ** 9", "MemoryError"],
    ["x = 'a' * 10 ** 12", "OverflowError: cannot fit 'int' into an index-sized integer"],
    ["x = 1 << 10 ** 10", "MemoryError"],
    ["x = list(range(10 ** 9))", "MemoryError"],
    ["x = f'{1:>1000000000}'", "MemoryError"],
    ["x = 'a'.center(10 ** 9)", "MemoryError"],
  ])("refuses %s before it is made", (program, error) => expect(errorOf(program)).toBe(error));

  it.each([
    [lines("x = 3", "while True: x = x * x")],
    [lines("s = 'a'", "while True: s = s + s")],
    [lines("x = [1]", "while True: x = x + x")],
    [lines("x = [1]", "while True: x += x")],
    [lines("x = [1]", "while True: x.extend(x)")],
    [lines("x = []", "while True: x.append([0] * 100000)")],
    [lines("d = {}", "while True: d[len(d)] = 'x' * 100000")],
    [lines("x = 7 ** 3000", "while True: y = str(x) * 100")],
    ["x = 10 ** 10 ** 9"],
    ["import math\nx = math.factorial(10 ** 8)"],
  ])("ends %s in time", (program) => {
    const { error, isTimeout } = runPython(program);
    expect(isTimeout || error === "MemoryError" || error.startsWith("ValueError")).toBe(true);
  });

  it("keeps the beginning and the end of a long output", () => {
    const { stdout } = runPython(lines("for i in range(10000): print(i)", "print('end')"));
    expect(stdout.length).toBeLessThan(4200);
    expect(stdout.startsWith("0\n1\n2\n")).toBe(true);
    expect(stdout.endsWith("9999\nend\n")).toBe(true);
  });

  it("has CPython's depth of calls, and no more of the host's stack than it has", () => {
    const recursion = "maximum recursion depth exceeded";
    expect(outputOf("def f(n): return 0 if n == 0 else 1 + f(n - 1)", "print(f(900))")).toBe("900\n");
    expect(errorOf("def f(n): return f(n + 1)", "f(0)")).toBe(`RecursionError: ${recursion}`);
    expect(errorOf("def f(x): return sorted([x], key=f)", "f(0)")).toContain(recursion);
    expect(errorOf("def g(): yield from g()", "list(g())")).toContain(recursion);
    expect(errorOf("x = []", "for _ in range(5000): x = [x]", "print(x)")).toContain(recursion);
    expect(errorOf("class A:", "    def __repr__(self): return repr(self)", "print(A())")).toContain(recursion);
    expect(runPython("(".repeat(5000)).error).toBe("SyntaxError: too many nested parentheses");
    expect(runPython("-".repeat(5000) + "1").error).not.toBe("");
    expect(runPython("not ".repeat(5000) + "1").error).not.toBe("");
  });
});

describe("the outside", () => {
  it.each(["js", "pyodide", "pyodide_js", "numpy"])("has no module %s", (name) => {
    expect(errorOf(`import ${name}`)).toBe(`ModuleNotFoundError: No module named '${name}'`);
  });

  it("keeps no file open from program to program", () => {
    const source = "f = [open('/lib/python311.zip', 'rb') for _ in range(50)]; print(f[-1].fileno())";
    expect(outputOf(source)).toBe(outputOf(source));
  });
});

describe("every program begins with the same interpreter", () => {
  const sources = [
    "import random; print(random.random(), random.choice('abcdef'))",
    "import time, os; print(time.time(), time.perf_counter(), os.urandom(4).hex())",
    "print(object(), id(print), hash('a'), {object() for _ in range(3)})",
    "import math, builtins; math.pi = 3; builtins.len = None; x = 5",
    "import sys; sys.stdout = None; sys.setrecursionlimit(50); del sys.modules['math']",
    "print(len('abc'), __import__('math').pi, 'x' in globals())",
    "class A: pass\nprint(len(object.__subclasses__()))",
    "x = []\nwhile True: x.append('a' * 1000)",
    "while True:\n try:\n  while True: pass\n except BaseException: pass",
    "import os; os.system('ls')",
    "print(sorted(globals()))",
  ];

  it("whatever ran before", () => {
    const alone = sources.map(runPython);
    const backwards = sources.toReversed().map(runPython).toReversed();
    expect(backwards).toEqual(alone);
    expect(alone[5]?.stdout).toBe("3 3.141592653589793 False\n");
  });
});

describe("the compiled standard library", () => {
  it("has the pinned checksum, and its modules keep their source texts", async () => {
    expect(basename(await findLibrary(loadPyodide))).toBe(`${librarySha256}.zip`);
    expect(outputOf("import calendar, inspect", "print(calendar.__cached__, inspect.getsource(calendar.isleap))")).toBe(
      `/lib/python311.zip/calendar.pyc def isleap(year):
    """Return True for leap years, False for non-leap years."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)

`,
    );
  });
});
