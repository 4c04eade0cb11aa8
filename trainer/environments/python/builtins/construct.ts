import { raise } from "../values/errors.ts";
import { makeDict, mergeInto, putItem } from "../values/dicts.ts";
import { makeFraction } from "../values/fractions.ts";
import { toRatio } from "../values/floats.ts";
import { maxDigits, toInt } from "../values/integers.ts";
import { allocate } from "../values/meter.ts";
import { toItems } from "../values/iterate.ts";
import { makeSet } from "../values/sets.ts";
import { callSpecial } from "../values/special.ts";
import { toRepr, toText } from "../values/text.ts";
import { truthOf } from "../values/truth.ts";
import { typeName } from "../values/typeName.ts";
import { isInt, isKind, toFloat, toList, toTuple, type Int, type Keywords, type Value } from "../values/value.ts";
import { requireInt, toReal } from "./arguments.ts";

type Construct = (args: readonly Value[], keywords: Keywords) => Value;

function atMost(name: string, max: number, args: readonly Value[]): void {
  if (args.length <= max) return;
  throw raise("TypeError", `${name} expected at most ${max} argument${max === 1 ? "" : "s"}, got ${args.length}`);
}

export const constructInt: Construct = (args, keywords) => {
  const [value = 0] = args;
  const base = args[1] ?? keywords.get("base");
  if (args.length > 2) throw raise("TypeError", `int() takes at most 2 arguments (${args.length} given)`);
  if (base !== undefined) {
    if (typeof value !== "string") throw raise("TypeError", "int() can't convert non-string with explicit base");
    return parseInt(value, Number(requireInt(base)));
  }
  if (typeof value === "string") return parseInt(value, 10);
  if (isInt(value)) return typeof value === "boolean" ? Number(value) : value;
  if (isKind(value, "float")) return truncate(value.value);
  if (isKind(value, "fraction")) return toInt(value.numerator / value.denominator);
  const special = callSpecial(value, "__int__", []) ?? callSpecial(value, "__index__", []);
  if (special !== undefined && isInt(special)) return special;
  throw raise(
    "TypeError",
    `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`,
  );
};

export function truncate(value: number): Int {
  if (Number.isNaN(value)) throw raise("ValueError", "cannot convert float NaN to integer");
  if (!Number.isFinite(value)) throw raise("OverflowError", "cannot convert float infinity to integer");
  return toInt(BigInt(Math.trunc(value)));
}

const digitsOf = "0123456789abcdefghijklmnopqrstuvwxyz";

function parseInt(text: string, base: number): Int {
  if (base !== 0 && (base < 2 || base > 36)) throw raise("ValueError", "int() base must be >= 2 and <= 36, or 0");
  const wrong = () => raise("ValueError", `invalid literal for int() with base ${base}: ${toRepr(text)}`);
  const match = /^([+-]?)(0[xXoObB]_?)?([0-9a-zA-Z]+(?:_[0-9a-zA-Z]+)*)$/.exec(text.trim());
  if (match === null) return parsePlain(text, base, wrong);
  const [, sign, prefix = "", body = ""] = match;
  const prefixBase = { x: 16, o: 8, b: 2 }[prefix.charAt(1).toLowerCase()];
  const isPrefixed = prefixBase !== undefined && (base === 0 || base === prefixBase);
  const digits = (isPrefixed || prefix === "" ? body : prefix + body).replaceAll("_", "").toLowerCase();
  const radix = isPrefixed ? prefixBase : base === 0 ? 10 : base;
  if (base === 0 && !isPrefixed && /^0+[1-9]/.test(digits)) throw wrong();
  if (!Array.from(digits).every((digit) => digitsOf.indexOf(digit) < radix && digitsOf.includes(digit))) throw wrong();
  const size = toBig(digits, radix);
  return toInt(sign === "-" ? -size : size);
}

/** Digits of other scripts. */
function parsePlain(text: string, base: number, wrong: () => Error | ReturnType<typeof raise>): Int {
  const trimmed = text.trim();
  if (!/^[+-]?\p{Nd}+$/u.test(trimmed)) throw wrong();
  const plain = Array.from(trimmed, (c) => (/\p{Nd}/u.test(c) ? digitValue(c) : c)).join("");
  return parseInt(plain, base);
}

function digitValue(c: string): string {
  let code = c.codePointAt(0) ?? 0;
  const start = code;
  while (start - code < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - 1))) code--;
  return String((start - code) % 10);
}

function toBig(digits: string, radix: number): bigint {
  const isPowerOfTwo = (radix & (radix - 1)) === 0;
  if (!isPowerOfTwo && digits.length > maxDigits) {
    const advice = "use sys.set_int_max_str_digits() to increase the limit";
    throw raise(
      "ValueError",
      `Exceeds the limit (${maxDigits} digits) for integer string conversion: value has ${digits.length} digits; ${advice}`,
    );
  }
  allocate(digits.length);
  if (radix === 10) return BigInt(digits);
  return Array.from(digits).reduce((sum, digit) => sum * BigInt(radix) + BigInt(digitsOf.indexOf(digit)), 0n);
}

export const constructFloat: Construct = (args) => {
  atMost("float", 1, args);
  const [value = 0] = args;
  if (typeof value === "string") return toFloat(parseFloat(value));
  const real = toReal(value);
  if (real !== undefined) return toFloat(real);
  throw raise("TypeError", `float() argument must be a string or a real number, not '${typeName(value)}'`);
};

function parseFloat(text: string): number {
  const plain = text.trim().toLowerCase();
  const special = /^([+-]?)(?:(inf|infinity)|nan)$/.exec(plain);
  if (special !== null) return special[2] === undefined ? Number.NaN : special[1] === "-" ? -Infinity : Infinity;
  if (!/^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/.test(plain)) {
    throw raise("ValueError", `could not convert string to float: ${toRepr(text)}`);
  }
  return Number(plain.replaceAll("_", ""));
}

export const constructComplex: Construct = ([real = 0, imaginary = 0]) => {
  const [a, b] = [toReal(real), toReal(imaginary)];
  if (isKind(real, "complex") && b === 0) return real;
  if (a === undefined || b === undefined) {
    throw raise("TypeError", `complex() first argument must be a string or a number, not '${typeName(real)}'`);
  }
  return { kind: "complex", real: a, imaginary: b };
};

export const constructStr: Construct = ([value]) => (value === undefined ? "" : toText(value));
export const constructBool: Construct = (args) => {
  atMost("bool", 1, args);
  return truthOf(args[0] ?? false);
};
export const constructList: Construct = (args) => {
  atMost("list", 1, args);
  return toList(args[0] === undefined ? [] : [...toItems(args[0])]);
};
export const constructTuple: Construct = (args) => {
  atMost("tuple", 1, args);
  const [values] = args;
  if (values !== undefined && isKind(values, "tuple") && values.names === undefined) return values;
  return toTuple(values === undefined ? [] : [...toItems(values)]);
};
export const constructSet: Construct = (args) => {
  atMost("set", 1, args);
  return makeSet(args[0] ?? toTuple([]));
};
export const constructFrozenset: Construct = (args) => {
  atMost("frozenset", 1, args);
  return makeSet(args[0] ?? toTuple([]), true);
};

export const constructDict: Construct = (args, keywords) => {
  atMost("dict", 1, args);
  const dict = makeDict();
  if (args[0] !== undefined) mergeInto(dict, args[0]);
  for (const [name, value] of keywords) putItem(dict, name, value);
  return dict;
};

export const constructRange: Construct = (args, keywords) => {
  if (keywords.size > 0) throw raise("TypeError", "range() takes no keyword arguments");
  if (args.length === 0) throw raise("TypeError", "range expected at least 1 argument, got 0");
  atMost("range", 3, args);
  const [a = 0, b = 0, c = 1] = args.map((arg) => requireInt(arg));
  if (c === 0) throw raise("ValueError", "range() arg 3 must not be zero");
  return args.length === 1
    ? { kind: "range", start: 0, stop: a, step: 1 }
    : { kind: "range", start: a, stop: b, step: c };
};

export const constructSlice: Construct = (args) => {
  if (args.length === 0) throw raise("TypeError", "slice expected at least 1 argument, got 0");
  atMost("slice", 3, args);
  const [a = null, b = null, c = null] = args;
  return args.length === 1
    ? { kind: "slice", start: null, stop: a, step: null }
    : { kind: "slice", start: a, stop: b, step: c };
};

/** `Fraction(3, 4)`, `Fraction("0.75")`, `Fraction(0.75)` */
export const constructFraction: Construct = ([numerator = 0, denominator]) => {
  if (denominator === undefined || denominator === null) return fractionOf(numerator);
  const [a, b] = [rationalOf(numerator), rationalOf(denominator)];
  if (a === undefined || b === undefined) {
    throw raise("TypeError", "both arguments should be Rational instances");
  }
  if (b.numerator === 0n) throw raise("ZeroDivisionError", `Fraction(${a.numerator * b.denominator}, 0)`);
  return makeFraction(a.numerator * b.denominator, a.denominator * b.numerator);
};

function rationalOf(value: Value): { numerator: bigint; denominator: bigint } | undefined {
  if (isKind(value, "fraction")) return value;
  return isInt(value) ? { numerator: BigInt(value), denominator: 1n } : undefined;
}

function fractionOf(value: Value): Value {
  const rational = rationalOf(value);
  if (rational !== undefined) return makeFraction(rational.numerator, rational.denominator);
  if (isKind(value, "float")) return fractionOfFloat(value.value);
  if (typeof value === "string") return parseFraction(value);
  throw raise("TypeError", "argument should be a string or a Rational instance");
}

function fractionOfFloat(value: number): Value {
  if (Number.isNaN(value)) throw raise("ValueError", "cannot convert NaN to integer ratio");
  if (!Number.isFinite(value)) throw raise("OverflowError", "cannot convert Infinity to integer ratio");
  const { numerator, denominator } = toRatio(value);
  return makeFraction(numerator, denominator);
}

const maxExponent = 10_000;

function parseFraction(text: string): Value {
  const match = /^\s*([-+]?)(?=\d|\.\d)(\d*)(?:\/(\d+)|(?:\.(\d*))?(?:[eE]([-+]?\d+))?)\s*$/.exec(text);
  if (match === null) throw raise("ValueError", `Invalid literal for Fraction: ${toRepr(text)}`);
  const [, sign, whole = "", denominator, decimals = "", exponent = "0"] = match;
  const factor = sign === "-" ? -1n : 1n;
  if (denominator !== undefined) return makeFraction(factor * BigInt(whole), BigInt(denominator));
  const power = Number(exponent) - decimals.length;
  if (Math.abs(power) > maxExponent) throw raise("MemoryError");
  const digits = factor * BigInt(whole + decimals);
  return power >= 0 ? makeFraction(digits * 10n ** BigInt(power), 1n) : makeFraction(digits, 10n ** BigInt(-power));
}
