import type { Op } from "../compile/code.ts";
import { raise } from "../values/errors.ts";
import type { Raised } from "../values/meter.ts";
import { builtinNames } from "../values/publicNames.ts";
import { suggest } from "../values/suggest.ts";
import type { Value } from "../values/value.ts";
import { pop, top, type Frame, type Handler, type Machine } from "./frame.ts";

type Handlers<Name extends Op> = Readonly<Record<Name, Handler>>;

/** Constants, the stack's own order, and variables wherever they are. */
export const variableHandlers: Handlers<
  | "constant"
  | "pop"
  | "duplicate"
  | "duplicateTwo"
  | "swap"
  | "rotateThree"
  | "loadLocal"
  | "storeLocal"
  | "deleteLocal"
  | "loadCell"
  | "storeCell"
  | "deleteCell"
  | "loadGlobal"
  | "storeGlobal"
  | "deleteGlobal"
  | "loadName"
  | "storeName"
  | "deleteName"
> = {
  constant: (_, frame, arg) => frame.stack.push(frame.code.constants[arg] ?? null),
  pop: (_, frame) => frame.stack.pop(),
  duplicate: (_, frame) => frame.stack.push(top(frame)),
  duplicateTwo: (_, frame) => frame.stack.push(top(frame, 2), top(frame)),
  swap: (_, frame) => {
    const [last, before] = [pop(frame), pop(frame)];
    frame.stack.push(last, before);
  },
  rotateThree: (_, frame) => {
    const [c, b, a] = [pop(frame), pop(frame), pop(frame)];
    frame.stack.push(c, a, b);
  },
  loadLocal: (_, frame, arg) => {
    const value = frame.locals[arg];
    if (value === undefined) throw unboundLocal(frame.code.locals[arg]);
    frame.stack.push(value);
  },
  storeLocal: (_, frame, arg) => {
    frame.locals[arg] = frame.stack.pop();
  },
  deleteLocal: (_, frame, arg) => {
    if (frame.locals[arg] === undefined) throw unboundLocal(frame.code.locals[arg]);
    frame.locals[arg] = undefined;
  },
  loadCell: (_, frame, arg) => {
    const value = frame.cells[arg]?.value;
    if (value === undefined) throw unboundCell(frame, arg);
    frame.stack.push(value);
  },
  storeCell: (_, frame, arg) => {
    const cell = frame.cells[arg];
    if (cell !== undefined) cell.value = pop(frame);
  },
  deleteCell: (_, frame, arg) => {
    const cell = frame.cells[arg];
    if (cell?.value === undefined) throw unboundCell(frame, arg);
    cell.value = undefined;
  },
  loadGlobal: (machine, frame, arg) => {
    const name = frame.code.names[arg] ?? "";
    const value = findGlobal(machine, name);
    if (value === undefined) throw notDefined(machine, frame, name);
    frame.stack.push(value);
  },
  storeGlobal: (machine, frame, arg) => machine.globals.set(frame.code.names[arg] ?? "", pop(frame)),
  deleteGlobal: (machine, frame, arg) => {
    const name = frame.code.names[arg] ?? "";
    if (!machine.globals.delete(name)) throw notDefined(machine, frame, name);
  },
  loadName: (machine, frame, arg) => {
    const name = frame.code.names[arg] ?? "";
    const own = frame.namespace?.get(name);
    const value = own === undefined ? findGlobal(machine, name) : own;
    if (value === undefined) throw notDefined(machine, frame, name);
    frame.stack.push(value);
  },
  storeName: (_, frame, arg) => frame.namespace?.set(frame.code.names[arg] ?? "", pop(frame)),
  deleteName: (machine, frame, arg) => {
    const name = frame.code.names[arg] ?? "";
    if (frame.namespace?.delete(name) !== true) throw notDefined(machine, frame, name);
  },
};

function findGlobal({ globals, builtins }: Machine, name: string): Value | undefined {
  const value = globals.get(name);
  return value === undefined ? builtins.get(name) : value;
}

function unboundLocal(name = "") {
  return raise("UnboundLocalError", `cannot access local variable '${name}' where it is not associated with a value`);
}

function unboundCell(frame: Frame, arg: number) {
  const name = frame.code.cells[arg] ?? "";
  if (arg < frame.code.numOwnCells) return unboundLocal(name);
  return raise(
    "NameError",
    `cannot access free variable '${name}' where it is not associated with a value in enclosing scope`,
  );
}

function notDefined(machine: Machine, frame: Frame, name: string): Raised {
  const raised = raise("NameError", `name '${name}' is not defined`);
  raised.exception.suggestion = () =>
    suggest(name, frame.code.locals) ??
    suggest(name, [...machine.globals.keys()]) ??
    suggest(name, builtinNames.split(" "));
  return raised;
}
