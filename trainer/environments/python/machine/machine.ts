import type { Code } from "../compile/code.ts";
import { isException, isRaised, isSubtype, exceptionType, guardDepth, makeException, raise } from "../values/errors.ts";
import { Raised, Timeout } from "../values/meter.ts";
import { callSpecial, findMember, findSpecial } from "../values/special.ts";
import { typeName } from "../values/typeName.ts";
import {
  isKind,
  noKeywords,
  type Body,
  type FunctionValue,
  type Instance,
  type Iterator,
  type Keywords,
  type Type,
  type Value,
} from "../values/value.ts";
import { bindArguments } from "./bind.ts";
import { makeFrame, type Frame, type Handler, type Machine } from "./frame.ts";

function isCode(body: Body): body is Code {
  return body.kind === "code";
}

/** Runs until the frame that was on top before is on top again. */
export function runUntil(machine: Machine, handlers: readonly Handler[], stop: Frame | undefined): void {
  while (machine.frame !== stop) {
    try {
      execute(machine, handlers, stop);
    } catch (error) {
      unwind(machine, error, stop);
    }
  }
}

function execute(machine: Machine, handlers: readonly Handler[], stop: Frame | undefined): void {
  const { run } = machine;
  let frame = machine.frame;
  while (frame !== undefined && frame !== stop) {
    const { ops, args } = frame.code;
    do {
      if (--run.operations < 0) throw new Timeout("out of operations");
      const { pc } = frame;
      frame.pc = pc + 1;
      handlers[ops[pc] ?? 0]?.(machine, frame, args[pc] ?? 0);
    } while (machine.frame === frame);
    frame = machine.frame;
  }
}

/** Goes to the nearest handler of an exception; above `stop` there is none, and it goes on its way up. */
function unwind(machine: Machine, error: unknown, stop: Frame | undefined): void {
  const raised = toRaised(error);
  while (machine.frame !== stop && machine.frame !== undefined) {
    const { frame } = machine;
    const entry = raised === undefined ? undefined : frame.tries.pop();
    if (entry === undefined || raised === undefined) {
      leave(machine, frame);
      continue;
    }
    frame.stack.length = entry.depth;
    frame.handled.length = entry.numHandled;
    frame.handled.push(raised.exception);
    frame.pc = entry.target;
    return;
  }
  throw raised ?? error;
}

/** Where the host itself is at its limits, so is the program. */
function toRaised(error: unknown): Raised | undefined {
  if (error instanceof Raised) return error;
  if (!(error instanceof RangeError)) return undefined;
  return error.message.includes("call stack")
    ? raise("RecursionError", "maximum recursion depth exceeded")
    : raise("MemoryError");
}

export function enter(machine: Machine, frame: Frame): void {
  const { run } = machine;
  if (run.depth >= run.limits.depth) throw raise("RecursionError", "maximum recursion depth exceeded");
  run.depth++;
  frame.back = machine.frame;
  machine.frame = frame;
}

export function leave(machine: Machine, frame: Frame): void {
  machine.run.depth--;
  machine.frame = frame.back;
  frame.back = undefined;
}

/** Starts a call of a function of the program; of a generator, it makes one. */
export function startCall(
  machine: Machine,
  callee: FunctionValue,
  { args, keywords, handlers }: { args: readonly Value[]; keywords: Keywords; handlers: readonly Handler[] },
): Frame | Iterator {
  const code = callee.code;
  if (!isCode(code)) throw new Error(`${callee.title} has no code`);
  const locals = bindArguments(callee, code, args, keywords);
  const frame = makeFrame(code, { callee, locals, namespace: undefined });
  return code.isGenerator ? makeGenerator(machine, frame, handlers) : frame;
}

/** Calls anything from the host, and waits for the result. */
export function callFromHost(
  machine: Machine,
  handlers: readonly Handler[],
  { callee, args, keywords = noKeywords }: { callee: Value; args: readonly Value[]; keywords?: Keywords | undefined },
): Value {
  if (!isKind(callee, "function")) return callPlain(machine, callee, { args, keywords });
  const started = startCall(machine, callee, { args, keywords, handlers });
  if ("kind" in started) return started;
  runFrame(machine, handlers, started);
  return machine.result;
}

/** Runs a frame from the host's side, to its end or its next `yield`. */
export function runFrame(machine: Machine, handlers: readonly Handler[], frame: Frame): void {
  const stop = machine.frame;
  frame.isEntry = true;
  machine.isYielded = false;
  guardDepth(() => {
    enter(machine, frame);
    runUntil(machine, handlers, stop);
  });
}

/** Calls whatever is no function of the program: what is built in, types, methods and instances. */
export function callPlain(
  machine: Machine,
  callee: Value,
  { args, keywords }: { args: readonly Value[]; keywords: Keywords },
): Value {
  if (typeof callee === "object" && callee !== null) {
    switch (callee.kind) {
      case "builtin":
        return callee.call(args, keywords);
      case "method":
        return machine.run.call(callee.callee, [callee.self, ...args], keywords);
      case "type":
        return callee.construct === undefined
          ? instantiate(machine, callee, { args, keywords })
          : callee.construct(args, keywords);
      case "instance": {
        const method = findSpecial(callee, "__call__");
        if (method !== undefined) return machine.run.call(method, [callee, ...args], keywords);
        break;
      }
      case "staticmethod":
        return machine.run.call(callee.getter, args, keywords);
      default:
    }
  }
  throw raise("TypeError", `'${typeName(callee)}' object is not callable`);
}

function instantiate(
  machine: Machine,
  type: Type,
  { args, keywords }: { args: readonly Value[]; keywords: Keywords },
): Value {
  const instance: Instance = { kind: "instance", type, members: new Map(), args };
  const init = findMember(instance, "__init__");
  if (init !== undefined) {
    const result = machine.run.call(init, [instance, ...args], keywords);
    if (result !== null) throw raise("TypeError", `__init__() should return None, not '${typeName(result)}'`);
  } else if (args.length + keywords.size > 0 && !isException(instance)) {
    throw raise("TypeError", `${type.name}() takes no arguments`);
  }
  return instance;
}

/** A frame that stops at every `yield` and goes on when it is asked for the next value. */
function makeGenerator(machine: Machine, frame: Frame, handlers: readonly Handler[]): Iterator {
  let state: "new" | "suspended" | "running" | "done" = "new";

  function resume(start: () => void): Value | undefined {
    if (state === "running") throw raise("ValueError", "generator already executing");
    if (state === "done") return undefined;
    const isNew = state === "new";
    state = "running";
    try {
      if (!isNew) start();
      runFrame(machine, handlers, frame);
      state = machine.isYielded ? "suspended" : "done";
      return machine.isYielded ? machine.result : undefined;
    } catch (error) {
      state = "done";
      throw isRaised(error, "StopIteration") ? raise("RuntimeError", "generator raised StopIteration") : error;
    }
  }

  function send(value: Value): Value | undefined {
    if (state === "new" && value !== null) {
      throw raise("TypeError", "can't send non-None value to a just-started generator");
    }
    return resume(() => frame.stack.push(value));
  }

  function throwIn(exception: Instance): Value | undefined {
    if (state === "new" || state === "done") {
      state = "done";
      throw new Raised(exception);
    }
    // The exception is raised where the generator stands, at its `yield`.
    return resume(() => {
      const entry = frame.tries.pop();
      if (entry === undefined) throw new Raised(exception);
      frame.stack.length = entry.depth;
      frame.handled.length = entry.numHandled;
      frame.handled.push(exception);
      frame.pc = entry.target;
    });
  }

  function close(): void {
    if (state === "new") state = "done";
    if (state === "done") return;
    try {
      throwIn(makeException(exceptionType("GeneratorExit"), []));
    } catch (error) {
      if (isRaised(error, "GeneratorExit") || isRaised(error, "StopIteration")) return;
      throw error;
    }
    throw raise("RuntimeError", "generator ignored GeneratorExit");
  }

  return {
    kind: "iterator",
    title: "generator",
    next: () => resume(() => frame.stack.push(null)),
    send,
    throw: throwIn,
    close,
  };
}

/** What `raise` was given, as an exception. */
export function toException(machine: Machine, value: Value): Instance {
  const made =
    isKind(value, "type") && isSubtype(value, exceptionType("BaseException")) ? machine.run.call(value, []) : value;
  if (isKind(made, "instance") && isException(made)) return made;
  throw raise("TypeError", "exceptions must derive from BaseException");
}

export function enterContext(manager: Value): Value {
  const has = (name: string): boolean => findSpecial(manager, name) !== undefined;
  if (!has("__enter__") || !has("__exit__")) {
    const detail = has("__enter__") ? " (missed __exit__ method)" : "";
    throw raise("TypeError", `'${typeName(manager)}' object does not support the context manager protocol${detail}`);
  }
  return callSpecial(manager, "__enter__", []) ?? null;
}
