import { binaryOperators, comparisons } from "../compile/expressions.ts";
import type { Op } from "../compile/code.ts";
import { isEqual, isOrdered } from "../values/compare.ts";
import { augmentInPlace, contains } from "../values/containers.ts";
import { augment, binary, unary } from "../values/operators.ts";
import { truthOf } from "../values/truth.ts";
import { callSpecial } from "../values/special.ts";
import type { Value } from "../values/value.ts";
import { pop, type Frame, type Handler } from "./frame.ts";

type Handlers<Name extends Op> = Readonly<Record<Name, Handler>>;

/** Operators. Small whole numbers, which are most, are dealt with on the spot. */
export const arithmeticHandlers: Handlers<
  | "unaryPlus"
  | "unaryMinus"
  | "unaryInvert"
  | "not"
  | "add"
  | "subtract"
  | "multiply"
  | "modulo"
  | "floorDivide"
  | "binary"
  | "augment"
  | "less"
  | "greater"
  | "equal"
  | "compare"
> = {
  unaryPlus: (_, frame) => frame.stack.push(unary("+", pop(frame))),
  unaryMinus: (_, frame) => frame.stack.push(unary("-", pop(frame))),
  unaryInvert: (_, frame) => frame.stack.push(unary("~", pop(frame))),
  not: (_, frame) => frame.stack.push(!truthOf(pop(frame))),
  add: (_, frame) => {
    const [b, a] = [pop(frame), pop(frame)];
    if (typeof a === "number" && typeof b === "number") {
      const sum = a + b;
      if (Number.isSafeInteger(sum)) {
        frame.stack.push(sum);
        return;
      }
    }
    frame.stack.push(binary("+", a, b));
  },
  subtract: (_, frame) => {
    const [b, a] = [pop(frame), pop(frame)];
    if (typeof a === "number" && typeof b === "number") {
      const difference = a - b;
      if (Number.isSafeInteger(difference)) {
        frame.stack.push(difference);
        return;
      }
    }
    frame.stack.push(binary("-", a, b));
  },
  multiply: (_, frame) => {
    const [b, a] = [pop(frame), pop(frame)];
    frame.stack.push(binary("*", a, b));
  },
  modulo: (_, frame) => {
    const [b, a] = [pop(frame), pop(frame)];
    if (typeof a === "number" && typeof b === "number" && a >= 0 && b > 0) frame.stack.push(a % b);
    else frame.stack.push(binary("%", a, b));
  },
  floorDivide: (_, frame) => {
    const [b, a] = [pop(frame), pop(frame)];
    frame.stack.push(binary("//", a, b));
  },
  binary: (_, frame, arg) => {
    const [b, a] = [pop(frame), pop(frame)];
    frame.stack.push(binary(binaryOperators[arg] ?? "+", a, b));
  },
  augment: (_, frame, arg) => {
    const [b, a] = [pop(frame), pop(frame)];
    const operator = binaryOperators[arg] ?? "+";
    if (typeof a === "number" && typeof b === "number") frame.stack.push(binary(operator, a, b));
    else frame.stack.push(augment(operator, a, b, augmentInPlace));
  },
  less: (_, frame) => {
    const [b, a] = [pop(frame), pop(frame)];
    if (typeof a === "number" && typeof b === "number") frame.stack.push(a < b);
    else pushComparison(frame, "<", a, b);
  },
  greater: (_, frame) => {
    const [b, a] = [pop(frame), pop(frame)];
    if (typeof a === "number" && typeof b === "number") frame.stack.push(a > b);
    else pushComparison(frame, ">", a, b);
  },
  equal: (_, frame) => {
    const [b, a] = [pop(frame), pop(frame)];
    if (typeof a === "number" && typeof b === "number") frame.stack.push(a === b);
    else pushComparison(frame, "==", a, b);
  },
  compare: (_, frame, arg) => {
    const [b, a] = [pop(frame), pop(frame)];
    pushComparison(frame, comparisons[arg] ?? "==", a, b);
  },
};

function pushComparison(frame: Frame, operator: (typeof comparisons)[number], ...[a, b]: [Value, Value]): void {
  frame.stack.push(compareValues(operator, a, b));
}

export function compareValues(operator: (typeof comparisons)[number], a: Value, b: Value): boolean {
  switch (operator) {
    case "==":
      return isEqual(a, b);
    case "!=": {
      const special = callSpecial(a, "__ne__", [b]);
      return special === undefined ? !isEqual(a, b) : truthOf(special);
    }
    case "is":
      return isIdentical(a, b);
    case "is not":
      return !isIdentical(a, b);
    case "in":
      return contains(b, a);
    case "not in":
      return !contains(b, a);
    default:
      return isOrdered(a, operator, b);
  }
}

/** Numbers and texts are themselves wherever they come from, as small ones are in CPython. */
function isIdentical(a: Value, b: Value): boolean {
  if (a === b) return true;
  const isEmptyTuple = (value: Value): boolean =>
    typeof value === "object" && value?.kind === "tuple" && value.items.length === 0;
  return isEmptyTuple(a) && isEmptyTuple(b);
}
