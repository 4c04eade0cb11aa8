import { isEqual, isOrdered } from "../values/compare.ts";
import { isSubtype, raise } from "../values/errors.ts";
import { divideFloor } from "../values/floatOperations.ts";
import { roundHalfEven, roundRatio, toFixedExact } from "../values/floats.ts";
import { formatValue } from "../values/format.ts";
import { hashValue, keyOf } from "../values/hash.ts";
import { floorDivideInts, moduloInts, powerModulo, toInt } from "../values/integers.ts";
import { iterate, lengthOf, makeIterator, toItems } from "../values/iterate.ts";
import { deleteAttribute, findAttribute, lookUp, storeAttribute } from "../values/lookUp.ts";
import { callValue, charge, currentRun } from "../values/meter.ts";
import { binary, unary } from "../values/operators.ts";
import { callSpecial, findSpecial } from "../values/special.ts";
import { toAscii, toRepr, toText } from "../values/text.ts";
import { truthOf } from "../values/truth.ts";
import { typeName } from "../values/typeName.ts";
import { typeOf } from "../values/types.ts";
import {
  either,
  isInt,
  isKind,
  toFloat,
  toList,
  toTuple,
  type Builtin,
  type Int,
  type Iterator,
  type Keywords,
  type Type,
  type Value,
} from "../values/value.ts";
import { requireInt } from "./arguments.ts";
import { any, between, define, named, one, type Body, type Signature } from "./define.ts";
import { sortItems } from "./sort.ts";

type Table = Readonly<Record<string, readonly [Signature, Body]>>;

const table: Table = {
  print: [any, (args, keywords) => print(args, keywords)],
  len: [one, ([value = null]) => lengthOf(value)],
  abs: [one, ([value = null]) => absolute(value)],
  sum: [named(1, "iterable start", 2), ([values = null, start = 0]) => sum(values, start)],
  min: [any, (args, keywords) => extreme("min", "<", { args, keywords })],
  max: [any, (args, keywords) => extreme("max", ">", { args, keywords })],
  round: [named(1, "number ndigits"), ([value = null, digits]) => round(value, digits ?? null)],
  sorted: [any, (args, keywords) => sorted(args, keywords)],
  all: [one, ([values = null]) => everyItem(values, (item) => truthOf(item))],
  any: [one, ([values = null]) => !everyItem(values, (item) => !truthOf(item))],
  divmod: [between(2, 2), ([a = null, b = null]) => divideWithRest(a, b)],
  pow: [named(2, "base exp mod"), ([a = null, b = null, c]) => power(a, b, c ?? null)],
  bin: [one, ([value]) => toRadix(requireInt(value), 2, "0b")],
  oct: [one, ([value]) => toRadix(requireInt(value), 8, "0o")],
  hex: [one, ([value]) => toRadix(requireInt(value), 16, "0x")],
  ord: [one, ([value = null]) => ord(value)],
  chr: [one, ([value]) => chr(requireInt(value))],
  repr: [one, ([value = null]) => toRepr(value)],
  ascii: [one, ([value = null]) => toAscii(value)],
  format: [between(1, 2), ([value = null, spec = ""]) => formatValue(value, toText(spec))],
  iter: [between(1, 2), ([value = null, stop]) => (stop === undefined ? iterate(value) : iterateCalls(value, stop))],
  next: [between(1, 2), ([iterator = null, absent]) => next(iterator, absent)],
  isinstance: [between(2, 2), ([value = null, type = null]) => isInstance(typeOf(value), type, "isinstance")],
  issubclass: [
    between(2, 2),
    ([type = null, base = null]) => {
      if (!isKind(type, "type")) throw raise("TypeError", "issubclass() arg 1 must be a class");
      return isInstance(type, base, "issubclass");
    },
  ],
  callable: [one, ([value = null]) => isCallable(value)],
  hash: [one, ([value = null]) => toInt(BigInt.asIntN(64, hashValue(value, keyOf(value))))],
  id: [one, () => 0x7f0000000000],
  getattr: [
    between(2, 3),
    ([object = null, name = null, absent]) => {
      if (typeof name !== "string") throw raise("TypeError", `attribute name must be string, not '${typeName(name)}'`);
      return (
        either(
          either(findAttribute(object, name), () => absent),
          () => lookUp(object, name),
        ) ?? null
      );
    },
  ],
  hasattr: [between(2, 2), ([object = null, name = null]) => findAttribute(object, toText(name)) !== undefined],
  setattr: [
    between(3, 3),
    ([object = null, name = null, value = null]) => {
      storeAttribute(object, toText(name), value);
      return null;
    },
  ],
  delattr: [
    between(2, 2),
    ([object = null, name = null]) => {
      deleteAttribute(object, toText(name));
      return null;
    },
  ],
  input: [
    between(0, 1),
    ([prompt]) => {
      if (prompt !== undefined) currentRun().print(toText(prompt));
      throw raise("EOFError", "EOF when reading a line");
    },
  ],
  exit: [
    between(0, 1),
    ([code]) => {
      throw code === undefined ? raise("SystemExit") : raise("SystemExit", code);
    },
  ],
  quit: [
    between(0, 1),
    ([code]) => {
      throw code === undefined ? raise("SystemExit") : raise("SystemExit", code);
    },
  ],
};

export const functions: ReadonlyMap<string, Builtin> = new Map(
  Object.entries(table).map(([name, [signature, body]]) => [name, define(name, signature, body)]),
);

const printKeywords = new Set(["sep", "end", "file", "flush"]);

function print(args: readonly (Value | undefined)[], keywords: Keywords): null {
  for (const name of keywords.keys()) {
    if (!printKeywords.has(name)) throw raise("TypeError", `'${name}' is an invalid keyword argument for print()`);
  }
  const text = (name: "sep" | "end", absent: string): string => {
    const value = keywords.get(name) ?? null;
    if (value === null) return absent;
    if (typeof value === "string") return value;
    throw raise("TypeError", `${name} must be None or a string, not ${typeName(value)}`);
  };
  const line = args.map((value) => toText(value ?? null)).join(text("sep", " ")) + text("end", "\n");
  charge(line.length);
  currentRun().print(line);
  return null;
}

function absolute(value: Value): Value {
  if (isKind(value, "complex")) return toFloat(Math.hypot(value.real, value.imaginary));
  if (isKind(value, "float")) return toFloat(Math.abs(value.value));
  if (isInt(value)) return Number(value) < 0 ? unary("-", value) : unary("+", value);
  if (isKind(value, "fraction")) return value.numerator < 0n ? unary("-", value) : value;
  const special = callSpecial(value, "__abs__", []);
  if (special !== undefined) return special;
  throw raise("TypeError", `bad operand type for abs(): '${typeName(value)}'`);
}

function sum(values: Value, start: Value): Value {
  if (typeof start === "string") throw raise("TypeError", "sum() can't sum strings [use ''.join(seq) instead]");
  const iterator = iterate(values);
  let total: Value = start;
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    charge(4);
    if (typeof total === "number" && typeof item === "number" && Number.isSafeInteger(total + item)) total += item;
    else total = binary("+", total, item);
  }
  return total;
}

type Call = { args: readonly (Value | undefined)[]; keywords: Keywords };

function extreme(name: "min" | "max", operator: "<" | ">", { args, keywords }: Call): Value {
  for (const keyword of keywords.keys()) {
    if (keyword !== "key" && keyword !== "default") {
      throw raise("TypeError", `'${keyword}' is an invalid keyword argument for ${name}()`);
    }
  }
  const given = args.map((value) => value ?? null);
  if (given.length === 0) throw raise("TypeError", `${name} expected at least 1 argument, got 0`);
  const [key, absent] = [keywords.get("key") ?? null, keywords.get("default")];
  if (given.length > 1 && absent !== undefined) {
    throw raise("TypeError", `Cannot specify a default for ${name}() with multiple positional arguments`);
  }
  const iterator = iterate(given.length === 1 ? (given[0] ?? null) : toTuple(given));
  let best: { item: Value; key: Value } | undefined;
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    charge(4);
    const itemKey = key === null ? item : callValue(key, [item]);
    if (best === undefined || isOrdered(itemKey, operator, best.key)) best = { item, key: itemKey };
  }
  if (best !== undefined) return best.item;
  if (absent !== undefined) return absent;
  throw raise("ValueError", `${name}() arg is an empty sequence`);
}

function sorted(args: readonly (Value | undefined)[], keywords: Keywords): Value {
  if (args.length !== 1) throw raise("TypeError", `sorted expected 1 argument, got ${args.length}`);
  for (const name of keywords.keys()) {
    if (name !== "key" && name !== "reverse")
      throw raise("TypeError", `'${name}' is an invalid keyword argument for sort()`);
  }
  return toList(sortItems(toItems(args[0] ?? null), keywords.get("key"), truthOf(keywords.get("reverse") ?? false)));
}

function everyItem(values: Value, holds: (item: Value) => boolean): boolean {
  const iterator = iterate(values);
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    charge(4);
    if (!holds(item)) return false;
  }
  return true;
}

function round(value: Value, digits: Value): Value {
  if (isKind(value, "float")) return roundFloat(value.value, digits);
  if (isInt(value)) return roundInt(typeof value === "boolean" ? Number(value) : value, digits);
  if (isKind(value, "fraction")) {
    if (digits === null) return toInt(roundRatio(value.numerator, value.denominator));
    const scale = 10n ** BigInt(requireInt(digits));
    return scaleFraction(value, scale);
  }
  const special = callSpecial(value, "__round__", digits === null ? [] : [digits]);
  if (special !== undefined) return special;
  throw raise("TypeError", `type ${typeName(value)} doesn't define __round__ method`);
}

function scaleFraction(value: Extract<Value, { kind: "fraction" }>, scale: bigint): Value {
  const rounded = toInt(roundRatio(value.numerator * scale, value.denominator));
  return callValue(typeOf(value), [rounded, toInt(scale)]);
}

const maxDecimals = 400;

function roundFloat(value: number, digits: Value): Value {
  if (digits === null) {
    if (Number.isNaN(value)) throw raise("ValueError", "cannot convert float NaN to integer");
    if (!Number.isFinite(value)) throw raise("OverflowError", "cannot convert float infinity to integer");
    return toInt(roundHalfEven(value));
  }
  const numDigits = Number(requireInt(digits));
  if (!Number.isFinite(value) || numDigits > maxDecimals) return toFloat(value);
  if (numDigits >= 0) return toFloat(Number(toFixedExact(value, numDigits)));
  if (numDigits < -maxDecimals) return toFloat(value < 0 ? -0 : 0);
  const scale = 10n ** BigInt(-numDigits);
  const whole = roundToMultiple(value, scale);
  return toFloat(whole === 0 && value < 0 ? -0 : whole);
}

function roundToMultiple(value: number, scale: bigint): number {
  let [mantissa, denominator] = [value, 1n];
  while (!Number.isInteger(mantissa)) [mantissa, denominator] = [mantissa * 2, denominator * 2n];
  return Number(roundRatio(BigInt(mantissa), denominator * scale) * scale);
}

function roundInt(value: Int, digits: Value): Value {
  if (digits === null) return value;
  const numDigits = Number(requireInt(digits));
  if (numDigits >= 0) return value;
  if (-numDigits > maxDecimals) return 0;
  const scale = 10n ** BigInt(-numDigits);
  return toInt(roundRatio(BigInt(value), scale) * scale);
}

function divideWithRest(a: Value, b: Value): Value {
  if (isInt(a) && isInt(b)) {
    const [x, y] = [a, b].map((value) => (typeof value === "boolean" ? Number(value) : value));
    return toTuple([floorDivideInts(x ?? 0, y ?? 0), moduloInts(x ?? 0, y ?? 0, "integer division or modulo by zero")]);
  }
  const isFloat = isKind(a, "float") || isKind(b, "float");
  const reals = [a, b].map((value) =>
    isKind(value, "float") ? value.value : isInt(value) ? Number(value) : undefined,
  );
  const [x, y] = reals;
  if (isFloat && x !== undefined && y !== undefined) {
    if (y === 0) throw raise("ZeroDivisionError", "float divmod()");
    const { quotient, rest } = divideFloor(x, y);
    return toTuple([toFloat(quotient), toFloat(rest)]);
  }
  if (isKind(a, "fraction") || isKind(b, "fraction")) return toTuple([binary("//", a, b), binary("%", a, b)]);
  const special = either(callSpecial(a, "__divmod__", [b]), () => callSpecial(b, "__rdivmod__", [a]));
  if (special !== undefined) return special;
  throw raise("TypeError", `unsupported operand type(s) for divmod(): '${typeName(a)}' and '${typeName(b)}'`);
}

function power(base: Value, exponent: Value, modulus: Value): Value {
  if (modulus === null) return binary("**", base, exponent);
  if (isInt(base) && isInt(exponent) && isInt(modulus)) {
    const [a = 0, b = 0, c = 0] = [base, exponent, modulus].map((value) =>
      typeof value === "boolean" ? Number(value) : value,
    );
    return powerModulo(a, b, c);
  }
  const names = [base, exponent, modulus].map((value) => `'${typeName(value)}'`);
  if ([base, exponent, modulus].every((value) => isInt(value) || isKind(value, "float"))) {
    throw raise("TypeError", "pow() 3rd argument not allowed unless all arguments are integers");
  }
  throw raise("TypeError", `unsupported operand type(s) for ** or pow(): ${names.join(", ")}`);
}

function toRadix(value: Int, radix: number, prefix: string): string {
  return value < 0 ? `-${prefix}${(-value).toString(radix)}` : prefix + value.toString(radix);
}

function ord(value: Value): Value {
  if (typeof value !== "string") {
    throw raise("TypeError", `ord() expected string of length 1, but ${typeName(value)} found`);
  }
  const letters = Array.from(value);
  if (letters.length === 1) return value.codePointAt(0) ?? 0;
  throw raise("TypeError", `ord() expected a character, but string of length ${letters.length} found`);
}

function chr(code: Int): Value {
  if (typeof code === "bigint") throw raise("OverflowError", "Python int too large to convert to C int");
  if (code >= 2 ** 31 || code < -(2 ** 31)) {
    throw raise(
      "OverflowError",
      `signed integer is ${code < 0 ? "less" : "greater"} than ${code < 0 ? "minimum" : "maximum"}`,
    );
  }
  if (code < 0 || code > 0x10ffff) throw raise("ValueError", "chr() arg not in range(0x110000)");
  return String.fromCodePoint(code);
}

function iterateCalls(callee: Value, stop: Value): Iterator {
  return makeIterator("callable_iterator", () => {
    const value = callValue(callee, []);
    return isEqual(value, stop) ? undefined : value;
  });
}

function next(iterator: Value, absent: Value | undefined): Value {
  if (isKind(iterator, "iterator")) {
    const value = either(iterator.next(), () => absent);
    if (value === undefined) throw raise("StopIteration");
    return value;
  }
  if (findSpecial(iterator, "__next__") === undefined) {
    throw raise("TypeError", `'${typeName(iterator)}' object is not an iterator`);
  }
  if (absent === undefined) return callSpecial(iterator, "__next__", []) ?? null;
  return either(iterate(iterator).next(), () => absent) ?? null;
}

function isInstance(type: Type, wanted: Value, name: string): boolean {
  if (isKind(wanted, "tuple")) return wanted.items.some((item) => isInstance(type, item, name));
  if (isKind(wanted, "type")) return isSubtype(type, wanted);
  const what =
    name === "isinstance" ? "a type, a tuple of types, or a union" : "a class, a tuple of classes, or a union";
  throw raise("TypeError", `${name}() arg 2 must be ${what}`);
}

function isCallable(value: Value): boolean {
  if (typeof value !== "object" || value === null) return false;
  return ["function", "builtin", "method", "type"].includes(value.kind) || findSpecial(value, "__call__") !== undefined;
}
