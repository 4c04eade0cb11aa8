import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";
import type { Programs, PythonProgram, PythonRun } from "#trainer/environments/programs.ts";
import { guardImports, Refused } from "./guard.ts";
import { Exhausted, makeHost, startMs } from "./host.ts";
import { bindInterpreter, type Interpreter } from "./interpreter.ts";
import { importPackages, noPackages, readWheels, type Packages } from "./packages.ts";
import { runner } from "./runner.ts";

export type Python = Programs["python"];

/** A loop without a body ends after 30 ms, one that makes objects after 0.9 s; a line printed counts as 200 operations. */
const defaults = { prelude: "", maxOperations: 5_000_000, maxOutputChars: 4096 };

/**
 * CPython 3.11 as WebAssembly, in this thread. Every program finds the memory as the first one found it, the same time
 * and the same chance, so that its outcome depends on nothing but its text. A program reaches nothing of the host; one
 * that tries ends with a `PermissionError`. What counting cannot bound (a single operation that takes for ever) is for
 * the process around it. Packages are imported before the first program, which takes seconds once and later half a second.
 */
export async function loadPython(packages: Packages = noPackages): Promise<Python> {
  const wheels = readWheels(packages);
  const { python, host, guard } = await loadInterpreter(wheels);
  const { module, prepare, run } = loadRunner(python);
  const names = { source: python.text("source"), prelude: python.text("prelude") };
  importPackages(python, { packages, wheels, run: (source) => execute(python, module, source) });
  const blank = python.snapshot();
  /** What programs with this prelude begin with. */
  let start = { prelude: "", snapshot: blank };

  function startWith(prelude: string): void {
    python.restore(blank);
    python.call("PyObject_SetAttrString", module, names.prelude, python.string(prelude));
    host.begin(Infinity, 0);
    guard.isRunning = true;
    const isPrepared = python.call("PyObject_CallNoArgs", prepare) !== 0;
    guard.isRunning = false;
    host.end();
    if (!isPrepared) throw new Error("the definitions before a program do not run");
    start = { prelude, snapshot: python.snapshot() };
  }

  function runOnce({ source, maxOperations, maxOutputChars }: Required<PythonProgram>): Ended {
    python.call("PyObject_SetAttrString", module, names.source, python.string(source));
    host.begin(maxOperations, maxOutputChars);
    guard.isRunning = true;
    let answer: string;
    try {
      answer = python.read(python.call("PyObject_CallNoArgs", run));
    } catch (thrown) {
      answer = `other${describe(thrown)}`;
    } finally {
      guard.isRunning = false;
    }
    const { stdout, isTimeout } = host.end();
    const error = isTimeout ? "" : answer.slice(mark.length);
    return { run: { stdout, error, isTimeout }, isPlain: answer.startsWith(mark) };
  }

  let isUsed = false;
  return (program) => {
    const asked = { ...defaults, ...program };
    if (asked.prelude !== start.prelude) startWith(asked.prelude);
    else if (isUsed) python.restore(start.snapshot);
    const first = runOnce(asked);
    isUsed = !first.isPlain || dependsOnMemory(first.run);
    if (!first.isPlain || !isUsed) return first.run;
    python.restore(start.snapshot);
    return runOnce(asked).run;
  };
}

type Wheels = ReturnType<typeof readWheels>;

/** The interpreter behind its guard, with the wheels in its file system. */
async function loadInterpreter(wheels: Wheels) {
  let bound: Interpreter | undefined;
  const host = makeHost(
    (address) => bound?.textAt(address) ?? "",
    (address, bytes) => bound?.write(address, bytes),
  );
  const { guard, interpreter, release } = guardImports((name, original) => host.replace(name, original));
  const thaw = freezeClock();
  const pyodide = await loadPyodide({
    indexURL: fileURLToPath(new URL(".", import.meta.resolve("pyodide"))),
    // What Python names `js`; its event loop asks for these while it loads.
    jsglobals: { setTimeout: () => 0, clearTimeout: () => 0, setInterval: () => 0, clearInterval: () => 0 },
    env: { HOME: "/", PATH: "/", _: "python", PYTHONHASHSEED: "0", PYTHONDONTWRITEBYTECODE: "1", TZ: "UTC" },
  }).finally(() => {
    release();
    thaw();
  });
  for (const { path, bytes } of wheels) pyodide.FS.writeFile(path, bytes);
  pyodide.setStdin({ stdin: () => null });
  pyodide.setStdout({ write: (bytes) => host.print(bytes) });
  pyodide.setStderr({ write: (bytes) => bytes.length });
  // Only switches polling on: the poll asks the host's counter.
  pyodide.setInterruptBuffer(new Uint8Array(1));
  const python = (bound = bindInterpreter(interpreter()));
  return { python, host, guard };
}

type Ended = { run: PythonRun; isPlain: boolean };

/** As long as that of any other program. */
const mark = "plain";

/**
 * A plain program leaves values behind that are garbage, and nothing else; so the next one need not wait for 18 MB to
 * be put back. Where its outcome shows addresses or how much room there was, it is run again in memory that is.
 */
function dependsOnMemory({ stdout, error, isTimeout }: PythonRun): boolean {
  return isTimeout || /^(MemoryError|RecursionError|Fatal)/.test(error) || / at 0x|\.\.\.\n/.test(stdout + error);
}

/** The runner is a module that programs do not find by accident; its functions are called from here. */
function loadRunner(python: Interpreter): { module: number; prepare: number; run: number } {
  const module = python.call("PyImport_AddModule", python.text("_runner"));
  const names = python.call("PyModule_GetDict", module);
  python.call("PyDict_SetItemString", names, python.text("__builtins__"), python.call("PyEval_GetBuiltins"));
  if (!execute(python, module, runner)) throw new Error("the runner of Python programs does not load");
  const functionOf = (name: string): number => python.call("PyObject_GetAttrString", module, python.text(name));
  return { module, prepare: functionOf("prepare"), run: functionOf("run") };
}

/** Runs code of this room in a module; false where it raised something. */
function execute(python: Interpreter, module: number, source: string): boolean {
  const fileInput = 257;
  const names = python.call("PyModule_GetDict", module);
  return python.call("PyRun_String", python.text(source), fileInput, names, names) !== 0;
}

/**
 * Files of the interpreter are as old as the clock says while it loads, and programs see that age. With the clock stopped,
 * memory after loading is the same to the bit in every process.
 */
function freezeClock(): () => void {
  const { now } = Date;
  Date.now = () => startMs;
  return () => void (Date.now = now);
}

/** How a program ended that did not return to its runner. */
function describe(thrown: unknown): string {
  if (thrown instanceof Exhausted) return "";
  // Nothing outside was reached, and what the program did to its memory is put back before the next one.
  if (thrown instanceof Refused) return "PermissionError: [Errno 1] Operation not permitted";
  // The stack of the host is CPython's: there it ends in the same way.
  if (thrown instanceof RangeError) return "RecursionError: maximum recursion depth exceeded";
  if (thrown instanceof WebAssembly.RuntimeError) return `Fatal Python error: ${thrown.message}`;
  throw thrown;
}
