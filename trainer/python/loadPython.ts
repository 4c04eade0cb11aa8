import { loadPyodide } from "pyodide";
import type { Programs, PythonProgram, PythonRun } from "#trainer/environments/programs.ts";
import { guardImports, Refused } from "./guard.ts";
import { Exhausted, makeHost, startMs } from "./host.ts";
import { bindInterpreter, type Interpreter } from "./interpreter.ts";
import { findLibrary, pyodideFolder } from "./library.ts";
import { importPackages, noPackages, type Packages, readWheels } from "./packages.ts";

export type Python = Programs["python"];

/** Default limits. 5 million operations take 30 ms in an empty loop, 0.9 s with objects; a printed line costs 200. */
const defaults = { prelude: "", maxOperations: 5_000_000, maxOutputChars: 4096 };

/**
 * Loads CPython 3.11 as WebAssembly into this thread. Every program starts with the same memory, time and random
 * stream, so that its outcome depends only on its text. A program cannot reach the host; an attempt ends with a
 * `PermissionError`. The operation limit cannot end a single endless operation, so the surrounding process must.
 * Packages are imported before the first program, which takes seconds the first time and half a second later.
 */
export async function loadPython(packages: Packages = noPackages): Promise<Python> {
  const wheels = readWheels(packages);
  const { python, host, guard } = await loadInterpreter(wheels);
  const { module, prepare, run } = loadRunner(python);
  const names = { source: python.text("source"), prelude: python.text("prelude") };
  importPackages(python, { packages, wheels, run: (source) => execute(python, module, source) });
  const blank = python.snapshot();
  /** Current prelude (definitions that run before a program), and the interpreter's state after it. */
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

const options = {
  indexURL: pyodideFolder,
  // Globals of Python's module `js`, whose event loop needs them while it loads.
  jsglobals: { setTimeout: () => 0, clearTimeout: () => 0, setInterval: () => 0, clearInterval: () => 0 },
  env: { HOME: "/", PATH: "/", _: "python", PYTHONHASHSEED: "0", PYTHONDONTWRITEBYTECODE: "1", TZ: "UTC" },
};

type Wheels = ReturnType<typeof readWheels>;

/** Loads the interpreter with guarded imports, and the wheels as files in its memory. */
async function loadInterpreter(wheels: Wheels) {
  let bound: Interpreter | undefined;
  const host = makeHost(
    (address) => bound?.textAt(address) ?? "",
    (address, bytes) => bound?.write(address, bytes),
  );
  const thaw = freezeClock();
  const stdLibURL = await findLibrary(() => loadPyodide(options)).catch((error: unknown) => {
    thaw();
    throw error;
  });
  const { guard, interpreter, release } = guardImports((name, original) => host.replace(name, original));
  const pyodide = await loadPyodide({ ...options, stdLibURL }).finally(() => {
    release();
    thaw();
  });
  for (const { path, bytes } of wheels) pyodide.FS.writeFile(path, bytes);
  pyodide.setStdin({ stdin: () => null });
  pyodide.setStdout({ write: (bytes) => host.print(bytes) });
  pyodide.setStderr({ write: (bytes) => bytes.length });
  // The interrupt buffer only turns CPython's polling on; each poll calls the host's operation counter.
  pyodide.setInterruptBuffer(new Uint8Array(1));
  const python = (bound = bindInterpreter(interpreter()));
  return { python, host, guard };
}

type Ended = { run: PythonRun; isPlain: boolean };

/** Prefix of the result of a program that left no trace in the interpreter. All such prefixes have equal length. */
const mark = "plain";

/**
 * True if a program's outcome may depend on memory that earlier programs used, because it shows addresses or the
 * amount of free memory. Such a program is repeated in restored memory. All others run without that restoration of 18
 * MB.
 */
function dependsOnMemory({ stdout, error, isTimeout }: PythonRun): boolean {
  return isTimeout || /^(MemoryError|RecursionError|Fatal)/.test(error) || / at 0x|\.\.\.\n/.test(stdout + error);
}

/** Loads `_runner`, a Python module that programs do not find by accident, and returns addresses of its functions. */
function loadRunner(python: Interpreter): { module: number; prepare: number; run: number } {
  const module = python.call("PyImport_AddModule", python.text("_runner"));
  const names = python.call("PyModule_GetDict", module);
  python.call("PyDict_SetItemString", names, python.text("__builtins__"), python.call("PyEval_GetBuiltins"));
  if (!execute(python, module, runner)) throw new Error("the runner of Python programs does not load");
  const functionOf = (name: string): number => python.call("PyObject_GetAttrString", module, python.text(name));
  return { module, prepare: functionOf("prepare"), run: functionOf("run") };
}

/** Runs trusted Python code in a module. Returns false if it raised an exception. */
function execute(python: Interpreter, module: number, source: string): boolean {
  const fileInput = 257;
  const names = python.call("PyModule_GetDict", module);
  return python.call("PyRun_String", python.text(source), fileInput, names, names) !== 0;
}

/**
 * Stops the clock while the interpreter loads, because programs can read the timestamps of its files. Memory after
 * loading is then bitwise equal in every process. Returns a function that restarts the clock.
 */
function freezeClock(): () => void {
  const { now } = Date;
  Date.now = () => startMs;
  return () => void (Date.now = now);
}

/** Returns the error text of a program that ended in a JavaScript exception instead of returning. */
function describe(thrown: unknown): string {
  if (thrown instanceof Exhausted) return "";
  // The refused call had no effect outside. The program's changes to memory are undone before the next program.
  if (thrown instanceof Refused) return "PermissionError: [Errno 1] Operation not permitted";
  // CPython uses the stack of the host, so its overflow means that the program recursed too deeply.
  if (thrown instanceof RangeError) return "RecursionError: maximum recursion depth exceeded";
  if (thrown instanceof WebAssembly.RuntimeError) return `Fatal Python error: ${thrown.message}`;
  throw thrown;
}

/**
 * Python source of the runner module. `prepare` runs `prelude`, `run` the program in `source`, both as `__main__`.
 * `run` returns a prefix, and the last line of the traceback or an empty text. The prefix "plain" means that the
 * program cannot have left anything behind.
 */
const runner = `
import ast, importlib, io, sys
import bisect, cmath, collections, copy, datetime, decimal, fractions, functools, heapq, itertools, json
import math, operator, random, re, statistics, string, time, typing

# What connects Pyodide with JavaScript is refused when it is called. Its names are missing, in CPython's words.
connecting = ("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core")
class Missing:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] in connecting:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

from _pyodide import _importhook
importlib._bootstrap._get_module_not_found_error = _importhook.orig_get_module_not_found_error
frozen = [finder for finder in sys.meta_path if finder.__module__ is None or "frozen" in str(finder.__module__)]
sys.meta_path[:] = [Missing, *frozen]
for name in list(sys.modules):
    if name.split(".")[0] in connecting:
        del sys.modules[name]
del sys.modules["__main__"].__dict__["_pyodide_core"]
prelude = ""
source = ""
is_prelude_plain = True

def prepare():
    global is_prelude_plain
    exec(compile(prelude, "<prelude>", "exec"), sys.modules["__main__"].__dict__)
    is_prelude_plain = is_plain(ast.parse(prelude))

def run():
    main = sys.modules["__main__"].__dict__
    before = dict(main)
    mark = "other"
    try:
        tree = ast.parse(source, "<string>")
        mark = "plain" if is_prelude_plain and is_plain(tree) else "other"
        exec(compile(count_calls(tree), "<string>", "exec"), main)
        error = ""
    except SystemExit as leaving:
        error = "" if leaving.code is None or isinstance(leaving.code, int) else str(leaving.code)
    except BaseException as raised:
        error = describe(raised)
    sys.__stdout__.flush()
    main.clear()
    main.update(before)
    return mark + error.rstrip().split("\\n")[-1]

# CPython counts jumps back and calls of C. A function of Python that calls itself does neither, so every function begins
# with a jump: a loop of one round that binds no name. A lambda has no room for one, and a comprehension in it would be one
# more function a call; so a lambda that calls itself without end is stopped by the clock of the process.
def count_calls(tree):
    for node in ast.walk(tree):
        if type(node) in (ast.FunctionDef, ast.AsyncFunctionDef):
            has_words = ast.get_docstring(node, clean=False) is not None
            node.body.insert(int(has_words), ast.copy_location(ast.For(*jump), node))
    return ast.fix_missing_locations(tree)

loop = ast.parse("for [] in ((),): pass").body[0]
jump = (loop.target, loop.iter, loop.body, [])

def describe(raised):
    # This library of C has other numbers and words for errors.
    if isinstance(raised, OverflowError) and raised.args == (68, "Result not representable"):
        raised.args = (34, "Numerical result out of range")
    if isinstance(raised, OSError):
        raised.errno = {2: 13, 20: 17, 31: 21, 44: 2, 54: 20, 63: 1, 69: 30}.get(raised.errno, raised.errno)
    printed, stderr = io.StringIO(), sys.stderr
    sys.stderr = printed
    sys.__excepthook__(type(raised), raised, raised.__traceback__.tb_next)
    sys.stderr = stderr
    return printed.getvalue()

# A plain program makes values and nothing else: it defines no class, sets no attribute, names nothing that reaches into
# the interpreter, and imports only modules without a state.
stateless = {"math", "cmath", "itertools", "fractions", "operator"}
reaching = {
    "breakpoint", "compile", "delattr", "dir", "eval", "exec", "getattr", "globals", "hash", "help", "id", "input", "locals",
    "memoryview", "object", "open", "setattr", "super", "type", "vars",
}
making = (ast.Lambda, ast.FunctionDef)

def is_plain(tree):
    makes_functions = makes_sets = False
    for node in ast.walk(tree):
        kind = type(node)
        if kind in others:
            return False
        if kind is ast.Name and (node.id in reaching or node.id.startswith("_")):
            return False
        if kind is ast.Attribute and (type(node.ctx) is not ast.Load or node.attr.startswith("_") or node.attr.endswith("_")):
            return False
        if kind is ast.Import and any(alias.name not in stateless for alias in node.names):
            return False
        if kind is ast.ImportFrom and (node.module not in stateless or node.level):
            return False
        makes_functions = makes_functions or kind in making
        makes_sets = makes_sets or kind in (ast.Set, ast.SetComp) or kind is ast.Name and node.id in ("set", "frozenset")
    # A set orders functions by their addresses.
    return not (makes_functions and makes_sets)

others = {ast.ClassDef, ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Global, ast.With}
`;
