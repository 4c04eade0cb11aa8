import { describe, expect, it } from "vitest";
import { defaultLimits, makeSandbox, type SandboxRun } from "./sandbox.ts";

const sandbox = await makeSandbox();
const run = (source: string, more: Readonly<Record<string, string>> = {}): SandboxRun =>
  sandbox.run({ files: { "main.js": source, ...more }, entry: "main.js" });
const nothing = { output: [], failure: undefined };

describe("a program", () => {
  it("prints, imports its other files and waits for its promises", () => {
    const files = { "lib/sum.js": `export const sum = (a, b) => a + b;`, "lib/late.js": `export default 7;` };
    const source = `import { sum } from "./lib/sum.js"; print(sum(1, 2)); print((await import("lib/late.js")).default)`;
    expect(run(source, files)).toEqual({ output: ["3", "7"], failure: undefined });
  });

  it.each([
    ["throw new TypeError('no')", "exception", "TypeError", "no"],
    ["throw 'text'", "exception", "Error", "text"],
    ["throw null", "exception", "Error", "null"],
    ["throw { get name() { throw 1 } }", "exception", "Error", "[object Object]"],
    ["let a = ;", "exception", "SyntaxError", ""],
    ["import './gone.js'", "exception", "Error", "Cannot find module 'gone.js'"],
    ["import 'constructor'", "exception", "Error", "Cannot find module 'constructor'"],
    ["import '__proto__'", "exception", "Error", "Cannot find module '__proto__'"],
    ["await 1; throw new RangeError('late')", "exception", "RangeError", "late"],
  ])("that does `%s` fails with it", (source, kind, name, message) => {
    const { failure } = run(source);
    expect(failure).toMatchObject({ kind, name });
    expect(failure?.message).toContain(message);
  });

  it("leaves nothing for the next", () => {
    run("globalThis.left = 1; Array.prototype.push = null; Object.prototype.odd = 1");
    expect(run("print([typeof left, typeof [].push, typeof ({}).odd])").output).toEqual([
      "undefined,function,undefined",
    ]);
  });
});

describe("limits", () => {
  const endless = [
    "while (true);",
    "for (;;) { try { while (true); } catch {} finally { continue } }",
    "const f = async () => { while (true) await 1 }; await f()",
    "[3, 2, 1].sort(() => { for (;;); })",
    "/(a+)+b/.test('a'.repeat(40))",
    "let s = 'x'; while (true) s += s.length",
  ];
  it.each(endless)("stop %s", (source) => {
    const { failure } = run(source);
    expect(["operations", "memory"]).toContain(failure?.kind);
  });

  it("stop at the same operation every time, whatever the time of day", () => {
    const counts = [1, 2, 3].map(() =>
      run("let i = 0; while (true) { i++; if (i % 1000 === 0) print(i) }").output.at(-1),
    );
    expect(new Set(counts).size).toBe(1);
    // Calls are counted as rounds are.
    expect(Number(counts[0])).toBeGreaterThanOrEqual(defaultLimits.operations * 0.9);
  });

  it.each([
    "const a = []; while (true) a.push(new Array(1000).fill(1))",
    "'x'.repeat(1e9)",
    "JSON.stringify(new Array(4e9))",
  ])("hold memory: %s", (source) => expect(run(source).failure?.kind).toBe("memory"));

  it.each([
    "new Array(1e7).fill(0)",
    "new Array(4294967295).indexOf(1)",
    "Array.prototype.indexOf.call({ length: 9e15 }, 1)",
    "new Set(new Array(4294967295))",
    "[].concat(new Array(4e9))",
    "[new Array(4e9)].flat()",
    "[1].flatMap(() => new Array(4e9))",
    "Array.from({ length: 9e15 })",
    "String.raw({ raw: { length: 9e15 } })",
    "Math.max(...new Array(1e6).fill(1))",
    "let n = 2n; while (true) n *= n",
  ])("refuse work that nobody could count: %s", (source) => expect(run(source).failure?.kind).toBe("exception"));

  it("leave arrays as they are otherwise", () => {
    const source =
      "print([[3, [1]], [2]].flat(2).concat([0], 5).sort() + ' ' + [1, 2].flatMap((x) => [x, x]) + [...[7]])";
    expect(run(source).output).toEqual(["0,1,2,3,5 1,1,2,27"]);
  });

  it("hold output", () => {
    const { output, failure } = run("while (true) print('0123456789')");
    expect(failure?.kind).toBe("output");
    expect(output.join("").length).toBe(defaultLimits.outputChars);
  });

  it.each([
    "const f = () => f() + 1; f()",
    "const o = { toString() { return '' + o } }; '' + o",
    "JSON.parse('['.repeat(20000))",
    ...["(", "[", "{", "a=>", "!", "if(1)", "`${", "new ", "function f(){", "class A extends ", "x="].map((part) =>
      part.repeat(4_000),
    ),
  ])("end deep nesting in an exception: %s", (source) => expect(run(source).failure?.kind).toBe("exception"));

  it("a sane program works after all of that", () => expect(run("print([3, 1, 2].sort())").output).toEqual(["1,2,3"]));
});

describe("nothing of the host is there", () => {
  it.each(
    "process require fetch setTimeout WebAssembly std os console Date Proxy BigInt Uint8Array eval Function".split(" "),
  )("no %s", (name) => expect(run(`print(typeof globalThis.${name})`).output).toEqual(["undefined"]));

  it("no chance and no code from text", () => {
    const ways = ["() => {}", "function* () {}", "async () => {}", "async function* () {}"];
    for (const way of ways) expect(run(`print((${way}).constructor === Object)`).output).toEqual(["true"]);
    expect(run("print(typeof Math.random)").output).toEqual(["undefined"]);
    expect(run("print(typeof print.constructor('return 1'))").output).toEqual(["object"]);
  });
});

it("answers at least 500 programs a second", () => {
  for (let i = 0; i < 100; i++) expect(run("")).toEqual(nothing);
  const start = performance.now();
  for (let i = 0; i < 300; i++) run("const a = [1, 2, 3].map((x) => x * 2); print(a)");
  const perSecond = (300 / (performance.now() - start)) * 1000;
  console.log(`sandbox: ${Math.round(perSecond)} runs/s`);
  // The aim is for a core of its own; tests share theirs.
  expect(perSecond).toBeGreaterThan(50);
});
