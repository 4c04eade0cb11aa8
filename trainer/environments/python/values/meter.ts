import type { Instance, Keywords, Value } from "./value.ts";

/** What one run may use up. */
export type Limits = {
  /** Steps of the machine; work on many items at once costs a step for every few of them. */
  operations: number;
  /** Items, characters or bits / 64 of one value. */
  size: number;
  /** Frames on top of each other. */
  depth: number;
  /** Characters kept of what is printed: half from the start, half from the end. */
  output: number;
};

/** CPython's depth; the specification's operations and output. */
export const defaultLimits: Limits = { operations: 1_000_000, size: 4_000_000, depth: 1000, output: 4096 };

/** The run used up its operations. No program can catch it. */
export class Timeout extends Error {}

/** An exception of Python on its way up. Not an `Error`: programs raise them by the thousand. */
export class Raised {
  readonly exception: Instance;
  constructor(exception: Instance) {
    this.exception = exception;
  }
}

/** How values reach the machine that runs them; one run at a time, from start to end without a break. */
export type Run = {
  limits: Limits;
  operations: number;
  depth: number;
  /** Calls of the machine by what it called, which use the host's stack. */
  nesting: number;
  print(text: string): void;
  call(callee: Value, args: readonly Value[], keywords?: Keywords): Value;
  /** The exception to raise where a single value would be too large. */
  memoryError(): Raised;
};

let current: Run | undefined;

export function withRun<Result>(run: Run, body: () => Result): Result {
  const before = current;
  current = run;
  try {
    return body();
  } finally {
    current = before;
  }
}

export function currentRun(): Run {
  if (current === undefined) throw new Error("no program is running");
  return current;
}

const itemsPerOperation = 8;

/** Pays for work on many items at once. */
export function charge(numItems: number): void {
  if (current === undefined) return;
  current.operations -= Math.ceil(numItems / itemsPerOperation);
  if (current.operations < 0) throw new Timeout("out of operations");
}

/** Pays for one value of so many items, or refuses it before it is made. */
export function allocate(numItems: number): void {
  if (current === undefined) return;
  if (numItems > current.limits.size) throw current.memoryError();
  charge(numItems);
}

export function callValue(callee: Value, args: readonly Value[], keywords?: Keywords): Value {
  return currentRun().call(callee, args, keywords);
}
