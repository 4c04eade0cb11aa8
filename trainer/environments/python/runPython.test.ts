import { describe, expect, it } from "vitest";
import { runPython } from "./runPython.ts";

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
  it("stops endless programs", () => {
    expect(runPython("while True: pass").isTimeout).toBe(true);
    expect(runPython(lines("print('started')", "x = 1", "while x: x += 1")).stdout).toBe("started\n");
    expect(runPython(lines("import itertools", "sum(itertools.count())")).isTimeout).toBe(true);
    expect(runPython(lines("try:", "    while True: pass", "except: print('caught')")).stdout).toBe("");
  });

  it.each([
    ["x = [0] * 10 ** 9"],
    ["x = 'a' * 10 ** 12"],
    ["x = (1, 2) * 10 ** 10"],
    ["x = 10 ** 10 ** 9"],
    ["x = 1 << 10 ** 10"],
    ["x = list(range(10 ** 9))"],
    ["x = '{:1000000000}'.format(1)"],
    ["x = f'{1:>1000000000}'"],
    ["x = '%1000000000d' % 1"],
    ["x = 'a'.center(10 ** 9)"],
    ["import math\nx = math.factorial(10 ** 8)"],
    ["import math\nx = math.comb(10 ** 9, 10 ** 8)"],
    ["from itertools import product\nx = list(product(range(100), repeat=10 ** 7))"],
  ])("refuses %s before it is made", (program) => expect(errorOf(program)).toBe("MemoryError"));

  it.each([
    [lines("x = 3", "while True: x = x * x")],
    [lines("s = 'a'", "while True: s = s + s")],
    [lines("x = [1]", "while True: x = x + x")],
    [lines("x = [1]", "while True: x += x")],
    [lines("x = [1]", "while True: x.extend(x)")],
    [lines("x = []", "while True: x.append([0] * 100000)")],
    [lines("d = {}", "while True: d[len(d)] = 'x' * 100000")],
    [lines("x = []", "for i in range(10 ** 9): x.append(x[:])")],
    [lines("x = 7 ** 3000", "while True: y = str(x) * 100")],
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

describe("the sandbox", () => {
  it.each(["constructor", "__proto__", "prototype", "toString", "hasOwnProperty", "valueOf", "__defineGetter__"])(
    "has no %s",
    (name) => {
      for (const value of ["''", "1", "[]", "{}", "print", "(lambda: 0)", "int", "None", "1.5", "Exception()"]) {
        expect(errorOf(`x = ${value}`, `print(x.${name})`), value).toMatch(/^AttributeError: /);
        expect(errorOf(`print(getattr(${value}, '${name}'))`), value).toMatch(/^AttributeError: /);
      }
      expect(errorOf(`print(${name})`)).toContain("NameError");
      expect(errorOf(`print({}['${name}'])`)).toBe(`KeyError: '${name}'`);
      expect(errorOf(`import ${name}`)).toContain(`No module named '${name}'`);
      expect(errorOf(`'{0.${name}}'.format(1)`)).toMatch(/^AttributeError: /);
      expect(errorOf(`print(x=1, ${name}=2)`)).toContain("TypeError");
    },
  );

  it("has no files, no evaluation and no globals of the host", () => {
    for (const name of ["open", "eval", "exec", "compile", "__import__", "globals", "process", "require", "Function"]) {
      expect(errorOf(`${name}('1')`)).toContain(`NameError: name '${name}' is not defined`);
    }
  });

  it("starts every run afresh", () => {
    runPython(lines("x = 5", "def print(*a): pass"));
    expect(outputOf("print('here')")).toBe("here\n");
    expect(errorOf("print(x)")).toBe("NameError: name 'x' is not defined");
    expect(errorOf("list.append = 5")).toContain("immutable type");
    expect(errorOf("import math", "math.pi = 3")).toContain("Error");
  });
});
