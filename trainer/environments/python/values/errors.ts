import { currentRun, Raised } from "./meter.ts";
import type { Instance, Type, Value } from "./value.ts";

export const objectType: Type = makeType("object", undefined);

export function makeType(name: string, base: Type | undefined, construct?: Type["construct"]): Type {
  const ancestors: Type[] = [];
  const type: Type = { kind: "type", name, base, ancestors, members: new Map(), ...(construct ? { construct } : {}) };
  ancestors.push(type, ...(base?.ancestors ?? []));
  return type;
}

/** Name and base of every exception that programs can name. */
const hierarchy = [
  ["BaseException", ""],
  ["Exception", "BaseException"],
  ["SystemExit", "BaseException"],
  ["KeyboardInterrupt", "BaseException"],
  ["GeneratorExit", "BaseException"],
  ["StopIteration", "Exception"],
  ["StopAsyncIteration", "Exception"],
  ["ArithmeticError", "Exception"],
  ["FloatingPointError", "ArithmeticError"],
  ["OverflowError", "ArithmeticError"],
  ["ZeroDivisionError", "ArithmeticError"],
  ["AssertionError", "Exception"],
  ["AttributeError", "Exception"],
  ["BufferError", "Exception"],
  ["EOFError", "Exception"],
  ["ImportError", "Exception"],
  ["ModuleNotFoundError", "ImportError"],
  ["LookupError", "Exception"],
  ["IndexError", "LookupError"],
  ["KeyError", "LookupError"],
  ["MemoryError", "Exception"],
  ["NameError", "Exception"],
  ["UnboundLocalError", "NameError"],
  ["OSError", "Exception"],
  ["FileNotFoundError", "OSError"],
  ["PermissionError", "OSError"],
  ["TimeoutError", "OSError"],
  ["ReferenceError", "Exception"],
  ["RuntimeError", "Exception"],
  ["NotImplementedError", "RuntimeError"],
  ["RecursionError", "RuntimeError"],
  ["SyntaxError", "Exception"],
  ["IndentationError", "SyntaxError"],
  ["TabError", "IndentationError"],
  ["SystemError", "Exception"],
  ["TypeError", "Exception"],
  ["ValueError", "Exception"],
  ["UnicodeError", "ValueError"],
  ["UnicodeDecodeError", "UnicodeError"],
  ["UnicodeEncodeError", "UnicodeError"],
  ["Warning", "Exception"],
  ["DeprecationWarning", "Warning"],
  ["RuntimeWarning", "Warning"],
  ["SyntaxWarning", "Warning"],
  ["UserWarning", "Warning"],
] as const;

export type ExceptionName = (typeof hierarchy)[number][0];

export const exceptionTypes: ReadonlyMap<string, Type> = makeExceptionTypes();

function makeExceptionTypes(): Map<string, Type> {
  const types = new Map<string, Type>();
  for (const [name, base] of hierarchy) {
    const type: Type = makeType(name, types.get(base) ?? objectType, (args) => makeException(type, args));
    types.set(name, type);
  }
  return types;
}

export function exceptionType(name: ExceptionName): Type {
  const type = exceptionTypes.get(name);
  if (type === undefined) throw new Error(`no exception is called ${name}`);
  return type;
}

export function makeException(type: Type, args: readonly Value[]): Instance {
  return { kind: "instance", type, members: new Map(), args };
}

/** `throw raise("TypeError", "…")` */
export function raise(name: ExceptionName, ...args: readonly Value[]): Raised {
  return new Raised(makeException(exceptionType(name), args));
}

export function isSubtype(type: Type, ancestor: Type): boolean {
  return type.ancestors.includes(ancestor);
}

export function isException(instance: Instance): boolean {
  return isSubtype(instance.type, exceptionType("BaseException"));
}

/** Whether what was raised is of this type or one below it. */
export function isRaised(error: unknown, name: ExceptionName): error is Raised {
  return error instanceof Raised && isSubtype(error.exception.type, exceptionType(name));
}

const maxNesting = 100;

/** Runs what may come back to itself through the host's stack, and refuses where it goes too deep. */
export function guardDepth<Result>(body: () => Result, suffix = ""): Result {
  const run = currentRun();
  if (run.nesting >= maxNesting) throw raise("RecursionError", `maximum recursion depth exceeded${suffix}`);
  run.nesting++;
  try {
    return body();
  } finally {
    run.nesting--;
  }
}
