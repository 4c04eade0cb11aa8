import type { Code } from "../compile/code.ts";
import type { Run } from "../values/meter.ts";
import type { Cell, FunctionValue, Instance, Value } from "../values/value.ts";

/** One call under way. */
export type Frame = {
  readonly code: Code;
  readonly callee: FunctionValue | undefined;
  pc: number;
  readonly stack: Value[];
  readonly locals: (Value | undefined)[];
  readonly cells: readonly Cell[];
  /** Of a module or the body of a class. */
  readonly namespace: Map<string, Value> | undefined;
  readonly tries: { target: number; depth: number; numHandled: number }[];
  /** Exceptions being handled, the latest last. */
  readonly handled: Instance[];
  back: Frame | undefined;
  /** Its end goes back to the host that called it, not to the frame below. */
  isEntry: boolean;
};

export type Handler = (machine: Machine, frame: Frame, arg: number) => void;

/** The state of a program under way. */
export type Machine = {
  readonly run: Run;
  readonly globals: Map<string, Value>;
  readonly builtins: ReadonlyMap<string, Value>;
  readonly importModule: (name: string) => Value;
  frame: Frame | undefined;
  /** What the last entry returned or yielded. */
  result: Value;
  /** Whether the last entry yielded. */
  isYielded: boolean;
};

export function makeFrame(
  code: Code,
  { callee, locals, namespace }: Pick<Frame, "callee" | "locals" | "namespace">,
): Frame {
  return {
    code,
    callee,
    pc: 0,
    stack: [],
    locals,
    cells: makeCells(code, callee, locals),
    namespace,
    tries: [],
    handled: [],
    back: undefined,
    isEntry: false,
  };
}

const noCells: readonly Cell[] = [];

function makeCells(
  code: Code,
  callee: FunctionValue | undefined,
  locals: readonly (Value | undefined)[],
): readonly Cell[] {
  if (code.cells.length === 0) return noCells;
  const own = code.cellSources.map((source): Cell => ({ value: source === -1 ? undefined : locals[source] }));
  return callee === undefined ? own : [...own, ...callee.cells];
}

export function pop(frame: Frame): Value {
  return frame.stack.pop() ?? null;
}

export function top(frame: Frame, depth = 1): Value {
  return frame.stack[frame.stack.length - depth] ?? null;
}

/** The last items off the stack, in the order in which they were put there. */
export function popMany(frame: Frame, count: number): Value[] {
  return count === 0 ? [] : frame.stack.splice(frame.stack.length - count, count);
}
