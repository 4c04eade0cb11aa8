import variant from "@jitl/quickjs-singlefile-mjs-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { bigIntLiteral, hardening, intrinsics } from "./hardening.ts";
import { resolveModule } from "./resolveModule.ts";

/** Modules by path, and the one to begin with. They print with `print(text)`, the only thing of ours they can reach. */
export type Program = { readonly files: Readonly<Record<string, string>>; readonly entry: string };

export type SandboxLimits = {
  /** Loop rounds and calls; counted, never timed, so that a run has one outcome on every machine. Steps of 10,000. */
  readonly operations: number;
  /** Of a single value; live values count a few bytes each. All runs share 16 MiB at most. */
  readonly memoryBytes: number;
  readonly outputChars: number;
};

export const defaultLimits: SandboxLimits = { operations: 20_000, memoryBytes: 64 * 1024, outputChars: 8_000 };

/** What stopped a program: an exception nobody caught, or one of its limits. */
export type SandboxFailure = {
  readonly kind: "exception" | "operations" | "memory" | "output" | "crash";
  readonly name: string;
  readonly message: string;
};

export type SandboxRun = { readonly output: readonly string[]; readonly failure: SandboxFailure | undefined };

export interface Sandbox {
  /** In a runtime of its own: nothing is left of one run for the next. Never throws. */
  run(program: Program, limits?: SandboxLimits): SandboxRun;
}

/** QuickJS in WebAssembly: JavaScript without clock, chance, files, network or code made at run time. */
export function makeSandbox(): Promise<Sandbox> {
  sandbox ??= loadMachine().then((quickJs) => ({
    run: (program, limits = defaultLimits) => runProgram(quickJs, program, limits),
  }));
  return sandbox;
}

/** One machine serves a process: every run has a runtime of its own. */
let sandbox: Promise<Sandbox> | undefined;

/** 256 pages of 64 KiB, all of them from the start: programs that take everything find the same amount each time. */
const numPages = 256;

function loadMachine(): Promise<QuickJSWASMModule> {
  const wasmMemory = new WebAssembly.Memory({ initial: numPages, maximum: numPages });
  return newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }));
}

/** Small enough that deep nesting ends in an exception of the program's long before the host's stack is full. */
const stackBytes = 24 * 1024;
/** The machine asks once in so many loop rounds and calls whether to go on. */
const operationsPerPoll = 10_000;
const maxJobs = 1_000;

function runProgram(quickJs: QuickJSWASMModule, program: Program, limits: SandboxLimits): SandboxRun {
  if (Object.values(program.files).some((text) => bigIntLiteral.test(text))) return { output: [], failure: noBigInt };
  const printed = { lines: new Array<string>(), numChars: 0, isFull: false };
  try {
    const runtime = quickJs.newRuntime();
    limitRuntime(runtime, limits, () => printed.isFull);
    runtime.setModuleLoader(
      (path) => readModule(program.files, path) ?? { error: new Error(`Cannot find module '${path}'`) },
      resolveModule,
    );
    const context = runtime.newContext({ intrinsics });
    givePrint(context, (text) => {
      const room = limits.outputChars - printed.numChars;
      printed.isFull ||= text.length > room;
      if (room > 0) printed.lines.push(text.slice(0, room));
      printed.numChars += text.length;
    });
    const failure = evaluate(runtime, context, program);
    context.dispose();
    runtime.dispose();
    return { output: printed.lines, failure: printed.isFull ? outputFailure : failure };
  } catch (error) {
    // The machine itself gave up; it goes on with what it has left, a runtime poorer.
    return { output: printed.lines, failure: { kind: "crash", name: "InternalError", message: String(error) } };
  }
}

/** Only what a program brings: `constructor` and the like are names of no module. */
function readModule(files: Program["files"], path: string): string | undefined {
  return Object.hasOwn(files, path) ? files[path] : undefined;
}

const outputFailure: SandboxFailure = { kind: "output", name: "InternalError", message: "too much output" };
const unfinished: SandboxFailure = { kind: "operations", name: "InternalError", message: "interrupted" };
const noBigInt: SandboxFailure = { kind: "exception", name: "SyntaxError", message: "no BigInt here" };

function limitRuntime(runtime: QuickJSRuntime, limits: SandboxLimits, isFull: () => boolean): void {
  const maxPolls = Math.ceil(limits.operations / operationsPerPoll);
  let numPolls = 0;
  runtime.setMemoryLimit(limits.memoryBytes);
  runtime.setMaxStackSize(stackBytes);
  runtime.setInterruptHandler(() => isFull() || ++numPolls > maxPolls);
}

function givePrint(context: QuickJSContext, print: (text: string) => void): void {
  const handle = context.newFunction("print", (text) => {
    if (text !== undefined) print(context.getString(text));
  });
  context.setProp(context.global, "print", handle);
  handle.dispose();
  context.unwrapResult(context.evalCode(hardening)).dispose();
}

function evaluate(
  runtime: QuickJSRuntime,
  context: QuickJSContext,
  { files, entry }: Program,
): SandboxFailure | undefined {
  const result = context.evalCode(readModule(files, entry) ?? "", entry, { type: "module" });
  if (result.error) return describe(context, result.error);
  const jobs = runtime.executePendingJobs(maxJobs);
  if (jobs.error) {
    result.value.dispose();
    return describe(jobs.error.context, jobs.error);
  }
  const state = context.getPromiseState(result.value);
  result.value.dispose();
  if (state.type === "pending") return unfinished;
  if (state.type === "rejected") return describe(context, state.error);
  if (state.type === "fulfilled" && !state.notAPromise) state.value.dispose();
  return undefined;
}

type Handle = Parameters<QuickJSContext["dump"]>[0];

function describe(context: QuickJSContext, error: Handle): SandboxFailure {
  const [name, message] = [readText(context, error, "name"), readText(context, error, "message")];
  const thrown = name === "" && message === "" ? context.getString(error) : message;
  error.dispose();
  const kind = name === "InternalError" ? (kinds[message] ?? "exception") : "exception";
  return { kind, name: name === "" ? "Error" : name, message: thrown.slice(0, 200) };
}

const kinds: Readonly<Record<string, SandboxFailure["kind"]>> = {
  interrupted: "operations",
  "out of memory": "memory",
};

/** A property of what was thrown, which can be anything: getters that throw, nothing at all. */
function readText(context: QuickJSContext, error: Handle, key: string): string {
  if (context.typeof(error) !== "object") return "";
  const property = context.getProp(error, key);
  const text = context.typeof(property) === "string" ? context.getString(property) : "";
  property.dispose();
  return text;
}
