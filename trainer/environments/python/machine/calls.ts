import type { Op } from "../compile/code.ts";
import { isSubtype, exceptionType, makeType, objectType, raise } from "../values/errors.ts";
import {
  isKind,
  noKeywords,
  type FunctionValue,
  type Iterator,
  type Keywords,
  type Type,
  type Value,
} from "../values/value.ts";
import { makeFrame, pop, popMany, top, type Frame, type Handler, type Machine } from "./frame.ts";
import { callPlain, enter, leave, runFrame, startCall } from "./machine.ts";

type Handlers<Name extends Op> = Readonly<Record<Name, Handler>>;

/** Calls, what they return, and what can be called. */
export function makeCallHandlers(
  table: () => readonly Handler[],
): Handlers<"call" | "callKeywords" | "callSpread" | "makeFunction" | "makeClass" | "return" | "yield" | "yieldFrom"> {
  /** A function of the program gets a frame of its own, which the machine goes on with. */
  function call(machine: Machine, frame: Frame, { callee, args, keywords }: Call): void {
    if (isKind(callee, "method")) {
      call(machine, frame, { callee: callee.callee, args: [callee.self, ...args], keywords });
      return;
    }
    if (!isKind(callee, "function")) {
      frame.stack.push(callPlain(machine, callee, { args, keywords }));
      return;
    }
    const started = startCall(machine, callee, { args, keywords, handlers: table() });
    if ("kind" in started) frame.stack.push(started);
    else enter(machine, started);
  }

  return {
    call: (machine, frame, arg) => {
      const args = popMany(frame, arg);
      call(machine, frame, { callee: pop(frame), args, keywords: noKeywords });
    },
    callKeywords: (machine, frame, arg) => {
      const names = frame.code.keywordLists[arg] ?? [];
      const given = popMany(frame, Number(pop(frame)));
      const args = given.slice(0, given.length - names.length);
      const keywords = new Map(names.map((name, i) => [name, given[args.length + i] ?? null]));
      call(machine, frame, { callee: pop(frame), args, keywords });
    },
    callSpread: (machine, frame) => {
      const [dict, list] = [pop(frame), pop(frame)];
      const args = isKind(list, "list") ? list.items : [];
      const keywords = toKeywords(dict);
      call(machine, frame, { callee: pop(frame), args, keywords });
    },
    makeFunction: (_, frame, arg) => frame.stack.push(makeFunction(frame, arg)),
    makeClass: (machine, frame, arg) => {
      const bases = popMany(frame, arg);
      const body = pop(frame);
      if (isKind(body, "function")) frame.stack.push(makeClass(machine, table(), { body, bases }));
    },
    return: (machine, frame) => {
      const value = pop(frame);
      const { back } = frame;
      leave(machine, frame);
      if (frame.isEntry) finish(machine, value, false);
      else back?.stack.push(value);
    },
    yield: (machine, frame) => {
      const value = pop(frame);
      leave(machine, frame);
      finish(machine, value, true);
    },
    yieldFrom: (machine, frame) => {
      // What was sent in is on top of the iterator; at the start that is None.
      const sent = pop(frame);
      const iterator = top(frame);
      if (!isKind(iterator, "iterator")) return;
      const value = sendTo(iterator, sent);
      if (value === undefined) {
        frame.stack[frame.stack.length - 1] = null;
        return;
      }
      frame.pc--;
      leave(machine, frame);
      finish(machine, value, true);
    },
  };
}

type Call = { callee: Value; args: readonly Value[]; keywords: Keywords };

function sendTo(iterator: Iterator, sent: Value): Value | undefined {
  return sent !== null && iterator.send !== undefined ? iterator.send(sent) : iterator.next();
}

function finish(machine: Machine, value: Value, isYielded: boolean): void {
  machine.result = value;
  machine.isYielded = isYielded;
}

/** A dictionary whose keys are names. */
function toKeywords(dict: Value): Map<string, Value> {
  const entries = isKind(dict, "dict") ? Array.from(dict.entries.values()) : [];
  return new Map(entries.map(({ key, value }) => [typeof key === "string" ? key : "", value]));
}

function makeFunction(frame: Frame, index: number): FunctionValue {
  const [keywordDefaults, defaults] = [pop(frame), pop(frame)];
  const code = frame.code.codes[index];
  if (code === undefined) throw new Error(`${frame.code.title} has no function ${index}`);
  return {
    kind: "function",
    name: code.name,
    title: code.title,
    code,
    defaults: isKind(defaults, "tuple") ? defaults.items : [],
    keywordDefaults: toKeywords(keywordDefaults),
    cells: code.captures.map((cell) => frame.cells[cell] ?? { value: undefined }),
    members: new Map(),
  };
}

type ClassParts = { body: FunctionValue; bases: readonly Value[] };

/** Runs the body of a class; its variables are the members. */
function makeClass(machine: Machine, handlers: readonly Handler[], { body, bases }: ClassParts): Type {
  const [base = objectType] = bases;
  if (!isKind(base, "type")) throw raise("TypeError", `metaclass conflict: '${body.name}' has no usable base`);
  const isPlain =
    base === objectType || base.construct === undefined || isSubtype(base, exceptionType("BaseException"));
  if (!isPlain || bases.length > 1) {
    throw raise(
      "NotImplementedError",
      `class '${body.name}' can have one base, a class of the program or an exception`,
    );
  }
  const code = frameCode(body);
  const namespace = new Map<string, Value>();
  runFrame(machine, handlers, makeFrame(code, { callee: body, locals: [], namespace }));
  const type = makeType(body.name, base);
  for (const [name, value] of namespace) {
    type.members.set(name, value);
    if (isKind(value, "function")) owners.set(value, type);
  }
  type.members.set("__main__", true);
  return type;
}

function frameCode(body: FunctionValue): Frame["code"] {
  if (isCode(body.code)) return body.code;
  throw new Error(`${body.name} has no code`);
}

function isCode(code: FunctionValue["code"]): code is Frame["code"] {
  return code.kind === "code";
}

/** The class each method was written in, which `super()` looks for. */
const owners = new WeakMap<FunctionValue, Type>();

/** `super()` in a method: the class above the one it was written in. */
export function makeSuper(machine: Machine): Value {
  const { frame } = machine;
  const type = frame?.callee === undefined ? undefined : owners.get(frame.callee);
  const self = frame?.locals[0] ?? frame?.cells[0]?.value;
  if (type === undefined || self === undefined) throw raise("RuntimeError", "super(): no arguments");
  return { kind: "super", type, self };
}
