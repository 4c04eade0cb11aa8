import type { BinaryOperator } from "../syntax/ast.ts";
import { complexOperation, toComplex } from "./complex.ts";
import { combineCounters } from "./counters.ts";
import { raise } from "./errors.ts";
import { floatOperation } from "./floatOperations.ts";
import { fractionOperation } from "./fractions.ts";
import {
  addInts,
  combineBits,
  divideInts,
  floorDivideInts,
  intToFloat,
  moduloInts,
  multiplyInts,
  negateInt,
  powerInts,
  shiftInts,
  subtractInts,
} from "./integers.ts";
import { formatPercent } from "./percent.ts";
import { concatenate, repeat } from "./sequences.ts";
import { combineSets } from "./sets.ts";
import { callSpecial } from "./special.ts";
import { typeName } from "./typeName.ts";
import { either, isInt, isKind, isThing, toFloat, type Int, type Value } from "./value.ts";

/** `a operator b`; `sign` is what the error shows, `+=` for assignments. */
export function binary(operator: BinaryOperator, a: Value, b: Value, sign: string = operator): Value {
  if (isInt(a) && isInt(b)) {
    const result = intOperation(operator, a, b);
    if (result !== undefined) return result;
  }
  const result = either(numberOperation(operator, a, b) ?? containerOperation(operator, a, b), () =>
    specialOperation(operator, a, b),
  );
  if (result !== undefined) return result;
  throw unsupported(sign, a, b);
}

/** `a operator= b`: lists, sets and dictionaries change in place. */
export function augment(operator: BinaryOperator, a: Value, b: Value, inPlace: InPlace): Value {
  const changed = inPlace(operator, a, b);
  if (changed !== undefined) return changed;
  const special = callSpecial(a, inPlaceNames[operator], [b]);
  return special === undefined ? binary(operator, a, b, `${operator}=`) : special;
}

type InPlace = (operator: BinaryOperator, a: Value, b: Value) => Value | undefined;

const toNumber = (value: Int | boolean): Int => (typeof value === "boolean" ? Number(value) : value);

function intOperation(operator: BinaryOperator, left: Int | boolean, right: Int | boolean): Value | undefined {
  const [a, b] = [toNumber(left), toNumber(right)];
  switch (operator) {
    case "+":
      return addInts(a, b);
    case "-":
      return subtractInts(a, b);
    case "*":
      return multiplyInts(a, b);
    case "/":
      return toFloat(divideInts(a, b));
    case "//":
      return floorDivideInts(a, b);
    case "%":
      return moduloInts(a, b);
    case "**":
      return b < 0 ? floatOperation("**", intToFloat(a), intToFloat(b)) : powerInts(a, b);
    case "<<":
    case ">>":
      return shiftInts(a, b, operator);
    case "&":
    case "|":
    case "^": {
      const bits = combineBits(a, b, operator);
      return typeof left === "boolean" && typeof right === "boolean" ? bits !== 0 : bits;
    }
    case "@":
      return undefined;
  }
}

/** Numbers of which at least one is no whole number. */
function numberOperation(operator: BinaryOperator, a: Value, b: Value): Value | undefined {
  if (isKind(a, "complex") || isKind(b, "complex")) {
    const [x, y] = [toComplex(a), toComplex(b)];
    return x && y ? complexOperation(operator, x, y) : undefined;
  }
  if (isKind(a, "fraction") || isKind(b, "fraction")) return fractionOperation(operator, a, b);
  if (!isKind(a, "float") && !isKind(b, "float")) return undefined;
  const [x, y] = [realOf(a), realOf(b)];
  return x === undefined || y === undefined ? undefined : floatOperation(operator, x, y);
}

function realOf(value: Value): number | undefined {
  if (isKind(value, "float")) return value.value;
  return isInt(value) ? intToFloat(toNumber(value)) : undefined;
}

function containerOperation(operator: BinaryOperator, a: Value, b: Value): Value | undefined {
  if (isKind(a, "dict") && a.flavour === "Counter" && isKind(b, "dict") && b.flavour === "Counter") {
    return combineCounters(operator, a, b);
  }
  switch (operator) {
    case "+":
      return concatenate(a, b);
    case "*":
      return repeat(a, b) ?? repeat(b, a);
    case "%":
      return typeof a === "string" ? formatPercent(a, b) : undefined;
    case "-":
    case "&":
    case "|":
    case "^":
      return combineSets(operator, a, b);
    default:
      return undefined;
  }
}

const specialNames: Readonly<Record<BinaryOperator, string>> = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "truediv",
  "//": "floordiv",
  "%": "mod",
  "**": "pow",
  "@": "matmul",
  "<<": "lshift",
  ">>": "rshift",
  "&": "and",
  "|": "or",
  "^": "xor",
};
const withPrefix = (prefix: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(specialNames).map(([operator, name]) => [operator, `__${prefix}${name}__`]));
const plainNames = withPrefix("");
const reflectedNames = withPrefix("r");
const inPlaceNames = withPrefix("i") as Readonly<Record<BinaryOperator, string>>;

function specialOperation(operator: BinaryOperator, a: Value, b: Value): Value | undefined {
  return either(callSpecial(a, plainNames[operator] ?? "", [b]), () =>
    callSpecial(b, reflectedNames[operator] ?? "", [a]),
  );
}

function unsupported(sign: string, a: Value, b: Value) {
  const types = `'${typeName(a)}' and '${typeName(b)}'`;
  if (sign.startsWith("*") && !sign.startsWith("**")) {
    const other = isSequence(a) ? b : isSequence(b) ? a : undefined;
    if (other !== undefined) {
      return raise("TypeError", `can't multiply sequence by non-int of type '${typeName(other)}'`);
    }
  }
  if (sign === "+" || sign === "+=") {
    const kind = typeof a === "string" ? "str" : isKind(a, "list") ? "list" : isKind(a, "tuple") ? "tuple" : undefined;
    if (kind !== undefined) {
      return raise("TypeError", `can only concatenate ${kind} (not "${typeName(b)}") to ${kind}`);
    }
  }
  const shown = sign === "**" ? "** or pow()" : sign;
  const advice =
    sign === ">>" && isKind(a, "builtin") && a.name === "print"
      ? '. Did you mean "print(<message>, file=<output_stream>)"?'
      : "";
  return raise("TypeError", `unsupported operand type(s) for ${shown}: ${types}${advice}`);
}

function isSequence(value: Value): boolean {
  return typeof value === "string" || isKind(value, "list") || isKind(value, "tuple");
}

export function unary(operator: "+" | "-" | "~", value: Value): Value {
  if (isInt(value)) {
    const number = toNumber(value);
    if (operator === "+") return number;
    return operator === "-" ? negateInt(number) : subtractInts(negateInt(number), 1);
  }
  if (isThing(value) && operator !== "~") {
    const sign = operator === "-" ? -1 : 1;
    if (value.kind === "float") return toFloat(sign * value.value);
    if (value.kind === "complex") return { ...value, real: sign * value.real, imaginary: sign * value.imaginary };
    if (value.kind === "fraction") return { ...value, numerator: BigInt(sign) * value.numerator };
  }
  const name = operator === "-" ? "__neg__" : operator === "+" ? "__pos__" : "__invert__";
  const result = callSpecial(value, name, []);
  if (result !== undefined) return result;
  throw raise("TypeError", `bad operand type for unary ${operator}: '${typeName(value)}'`);
}
