import type { Op } from "../compile/code.ts";
import { exceptionType, isException, isSubtype, raise } from "../values/errors.ts";
import { iterate } from "../values/iterate.ts";
import { findAttribute } from "../values/lookUp.ts";
import { callValue, Raised } from "../values/meter.ts";
import { callSpecial } from "../values/special.ts";
import { truthOf } from "../values/truth.ts";
import { isKind, type Instance, type Value } from "../values/value.ts";
import { pop, top, type Frame, type Handler, type Machine } from "./frame.ts";
import { enterContext, toException } from "./machine.ts";

type Handlers<Name extends Op> = Readonly<Record<Name, Handler>>;

/** Jumps, loops, exceptions and imports. */
export const controlHandlers: Handlers<
  | "jump"
  | "jumpBack"
  | "popJumpIfFalse"
  | "popJumpIfTrue"
  | "jumpIfFalseOrPop"
  | "jumpIfTrueOrPop"
  | "iterate"
  | "forNext"
  | "setUpTry"
  | "endTry"
  | "matchException"
  | "endHandler"
  | "reraise"
  | "raise"
  | "duplicateException"
  | "import"
  | "importFrom"
  | "importStar"
  | "enterWith"
  | "exitWith"
  | "failAssertion"
> = {
  jump: (_, frame, arg) => {
    frame.pc = arg;
  },
  jumpBack: (_, frame, arg) => {
    frame.pc = arg;
  },
  popJumpIfFalse: (_, frame, arg) => {
    const value = pop(frame);
    if (value === false || (value !== true && !truthOf(value))) frame.pc = arg;
  },
  popJumpIfTrue: (_, frame, arg) => {
    if (truthOf(pop(frame))) frame.pc = arg;
  },
  jumpIfFalseOrPop: (_, frame, arg) => {
    if (truthOf(top(frame))) frame.stack.pop();
    else frame.pc = arg;
  },
  jumpIfTrueOrPop: (_, frame, arg) => {
    if (truthOf(top(frame))) frame.pc = arg;
    else frame.stack.pop();
  },
  iterate: (_, frame) => frame.stack.push(iterate(pop(frame))),
  forNext: (_, frame, arg) => {
    const iterator = top(frame);
    const value = isKind(iterator, "iterator") ? iterator.next() : undefined;
    if (value !== undefined) {
      frame.stack.push(value);
      return;
    }
    frame.stack.pop();
    frame.pc = arg;
  },
  setUpTry: (_, frame, arg) => {
    frame.tries.push({ target: arg, depth: frame.stack.length, numHandled: frame.handled.length });
  },
  endTry: (_, frame) => frame.tries.pop(),
  matchException: (_, frame, arg) => {
    const wanted = pop(frame);
    const exception = frame.handled.at(-1);
    if (exception === undefined || !matches(exception, wanted)) frame.pc = arg;
  },
  duplicateException: (_, frame) => frame.stack.push(frame.handled.at(-1) ?? null),
  endHandler: (_, frame) => frame.handled.pop(),
  reraise: (_, frame) => {
    const exception = frame.handled.pop();
    if (exception !== undefined) throw new Raised(exception);
  },
  raise: (machine, frame, arg) => {
    if (arg === 0)
      throw new Raised(currentException(frame) ?? raise("RuntimeError", "No active exception to reraise").exception);
    const cause = arg === 2 ? pop(frame) : null;
    const exception = toException(machine, pop(frame));
    if (cause !== null) requireCause(machine, cause);
    throw new Raised(exception);
  },
  import: (machine, frame, arg) => frame.stack.push(machine.importModule(frame.code.names[arg] ?? "")),
  importFrom: (_, frame, arg) => {
    const [module, name] = [top(frame), frame.code.names[arg] ?? ""];
    const value = findAttribute(module, name);
    if (value === undefined) {
      const title = isKind(module, "module") ? module.name : "?";
      throw raise("ImportError", `cannot import name '${name}' from '${title}' (unknown location)`);
    }
    frame.stack.push(value);
  },
  importStar: (machine, frame) => {
    const module = top(frame);
    if (!isKind(module, "module")) return;
    for (const [name, value] of module.members) if (!name.startsWith("_")) machine.globals.set(name, value);
  },
  enterWith: (_, frame) => {
    const manager = pop(frame);
    const value = enterContext(manager);
    frame.stack.push(manager, value);
  },
  exitWith: (_, frame, arg) => {
    const manager = pop(frame);
    const exception = arg === 1 ? frame.handled.at(-1) : undefined;
    const args = exception === undefined ? [null, null, null] : [exception.type, exception, null];
    const isSilenced = truthOf(callSpecial(manager, "__exit__", args) ?? null);
    if (exception === undefined) return;
    frame.handled.pop();
    if (!isSilenced) throw new Raised(exception);
  },
  failAssertion: (_, frame, arg) => {
    throw arg === 0 ? raise("AssertionError") : raise("AssertionError", pop(frame));
  },
};

function matches(exception: Instance, wanted: Value): boolean {
  if (isKind(wanted, "tuple")) return wanted.items.some((item) => matches(exception, item));
  const isType = isKind(wanted, "type") && isSubtype(wanted, exceptionType("BaseException"));
  if (!isType) throw raise("TypeError", "catching classes that do not inherit from BaseException is not allowed");
  return isSubtype(exception.type, wanted);
}

/** What is being handled here, or in a call below. */
function currentException(frame: Frame): Instance | undefined {
  for (let at: Frame | undefined = frame; at !== undefined; at = at.back) {
    const exception = at.handled.at(-1);
    if (exception !== undefined) return exception;
  }
  return undefined;
}

function requireCause(machine: Machine, cause: Value): void {
  const made = isKind(cause, "type") ? callValue(cause, []) : cause;
  if (!isKind(made, "instance") || !isException(made)) {
    throw raise("TypeError", "exception causes must derive from BaseException");
  }
  machine.result = null;
}
