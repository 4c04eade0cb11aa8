import { makeBuiltins } from "./builtins/builtins.ts";
import type { Code } from "./compile/code.ts";
import { compile } from "./compile/compile.ts";
import { makeSuper } from "./machine/calls.ts";
import { makeFrame, type Machine } from "./machine/frame.ts";
import { handlers } from "./machine/handlers.ts";
import { callFromHost, enter, runUntil } from "./machine/machine.ts";
import { importModule } from "./modules/modules.ts";
import { makeOutput } from "./output.ts";
import { SyntaxFault } from "./syntax/token.ts";
import { exceptionType, isSubtype, raise } from "./values/errors.ts";
import { defaultLimits, Raised, Timeout, withRun, type Limits, type Run } from "./values/meter.ts";
import { toText } from "./values/text.ts";
import { isKind, type Instance, type Value } from "./values/value.ts";

/** What a program printed and how it ended. */
export type PythonRun = {
  stdout: string;
  /** The last line CPython 3.11 would print of the traceback; empty where nothing was raised. */
  error: string;
  isTimeout: boolean;
};

export type PythonOptions = {
  limits?: Partial<Limits>;
  /** Functions that programs find already defined, each with one argument, which prints what it returns. */
  preamble?: Readonly<Record<string, (shown: string) => string>>;
};

/**
 * Runs a program of a large part of Python 3.11: what it prints and the error it ends with are CPython's. It can reach
 * nothing outside: no files, no host objects, no clock and no chance; operations, sizes, depth and output are bounded.
 */
export function runPython(source: string, { limits, preamble = {} }: PythonOptions = {}): PythonRun {
  const allLimits = { ...defaultLimits, ...limits };
  const output = makeOutput(allLimits.output);
  const machine = makeMachine(allLimits, (text) => output.print(text), preamble);
  const end = withRun(machine.run, () => runToEnd(machine, source));
  return { stdout: output.text(), ...end };
}

type End = Pick<PythonRun, "error" | "isTimeout">;

function runToEnd(machine: Machine, source: string): End {
  let code: Code;
  try {
    code = compile(source);
  } catch (fault) {
    if (fault instanceof SyntaxFault) return { error: lastLine(`${fault.type}: ${fault.message}`), isTimeout: false };
    if (fault instanceof RangeError)
      return { error: "RecursionError: maximum recursion depth exceeded during compilation", isTimeout: false };
    throw fault;
  }
  try {
    enter(machine, makeFrame(code, { callee: undefined, locals: [], namespace: machine.globals }));
    runUntil(machine, handlers, undefined);
    return { error: "", isTimeout: false };
  } catch (error) {
    if (error instanceof Timeout) return { error: "", isTimeout: true };
    if (error instanceof Raised) return { error: describe(error.exception), isTimeout: false };
    throw error;
  }
}

function makeMachine(limits: Limits, print: Run["print"], preamble: NonNullable<PythonOptions["preamble"]>): Machine {
  const run: Run = {
    limits,
    operations: limits.operations,
    depth: 0,
    nesting: 0,
    print,
    call: (callee, args, keywords) => callFromHost(machine, handlers, { callee, args, keywords }),
    memoryError: () => raise("MemoryError"),
  };
  const globals = new Map<string, Value>([["__name__", "__main__"]]);
  const machine: Machine = {
    run,
    globals,
    builtins: new Map([...makeBuiltins(), ["super", makeSuperFunction(() => machine)]]),
    importModule,
    frame: undefined,
    result: null,
    isYielded: false,
  };
  for (const [name, body] of Object.entries(preamble)) {
    globals.set(name, {
      kind: "builtin",
      name,
      title: name,
      call: (args) => {
        const [value = null] = args;
        if (args.length !== 1) throw raise("TypeError", arityOf(name, args.length));
        run.print(body(toText(value)));
        return null;
      },
    });
  }
  return machine;
}

/** In the words of a function of the program with one parameter. */
function arityOf(name: string, count: number): string {
  return count === 0
    ? `${name}() missing 1 required positional argument: 'result'`
    : `${name}() takes 1 positional argument but ${count} were given`;
}

function makeSuperFunction(machine: () => Machine): Value {
  return {
    kind: "builtin",
    name: "super",
    title: "super",
    call: ([type, self]) => {
      if (type === undefined) return makeSuper(machine());
      if (isKind(type, "type") && self !== undefined) return { kind: "super", type, self };
      throw raise("TypeError", "super() argument 1 must be a type");
    },
  };
}

/** The last line of a traceback: type and message, and what may have been meant. Leaving on purpose prints none. */
function describe(exception: Instance): string {
  if (isSubtype(exception.type, exceptionType("SystemExit"))) {
    const [code = null] = exception.args;
    return code === null || typeof code === "number" ? "" : lastLine(toText(code));
  }
  const message = messageOf(exception);
  const { name } = exception.type;
  const suggestion = exception.suggestion?.();
  const advice = suggestion === undefined ? "" : `. Did you mean: '${suggestion}'?`;
  return lastLine(message === "" ? `${name}${advice}` : `${name}: ${message}${advice}`);
}

function messageOf(exception: Instance): string {
  try {
    return toText(exception);
  } catch (error) {
    if (error instanceof Raised) return "<exception str() failed>";
    throw error;
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
