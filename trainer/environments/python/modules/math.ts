import { raise } from "../values/errors.ts";
import { roundHalfEven } from "../values/floats.ts";
import { bitLength, gcd, integerSquareRoot, multiplyInts, toInt } from "../values/integers.ts";
import { iterate, toItems } from "../values/iterate.ts";
import { allocate, charge } from "../values/meter.ts";
import { binary } from "../values/operators.ts";
import { callSpecial } from "../values/special.ts";
import { typeName } from "../values/typeName.ts";
import { isInt, isKind, toFloat, toTuple, type Value } from "../values/value.ts";
import { requireCount, requireInt, requireReal } from "../builtins/arguments.ts";
import { any, between, named, one, type Body, type Signature } from "../builtins/define.ts";
import { truncate } from "../builtins/construct.ts";
import { makeModule } from "./makeModule.ts";

const domain = () => raise("ValueError", "math domain error");
const range = () => raise("OverflowError", "math range error");

/** A function of one float; NaN from a number, and infinity from a finite one, are errors. */
function real(compute: (x: number) => number): readonly [Signature, Body] {
  return [
    one,
    ([value]) => {
      const x = requireReal(value);
      const result = compute(x);
      if (Number.isNaN(result) && !Number.isNaN(x)) throw domain();
      if (!Number.isFinite(result) && Number.isFinite(x)) throw range();
      return toFloat(result);
    },
  ];
}

/** A function that has no value at zero and below, by CPython's account. */
function logarithm(compute: (x: number) => number, big: (bits: number) => number): readonly [Signature, Body] {
  return [one, ([value = null]) => toFloat(logOf(value, compute, big))];
}

function logOf(value: Value, compute: (x: number) => number, big: (bits: number) => number): number {
  if (typeof value === "bigint" && value > 0n) {
    const shift = Math.max(0, bitLength(value) - 60);
    return compute(Number(value >> BigInt(shift))) + big(shift);
  }
  if (typeof value === "bigint") throw domain();
  const x = requireReal(value);
  if (x <= 0) throw domain();
  return compute(x);
}

function log(value: Value, base: Value | undefined): Value {
  const ln = (x: Value): number => logOf(x, Math.log, (bits) => bits * Math.LN2);
  const top = ln(value);
  if (base === undefined) return toFloat(top);
  const bottom = ln(base);
  if (bottom === 0) throw raise("ZeroDivisionError", "float division by zero");
  return toFloat(top / bottom);
}

function nonNegative(value: Value | undefined, complaint: string): bigint {
  const number = BigInt(requireInt(value));
  if (number < 0n) throw raise("ValueError", complaint);
  return number;
}

function factorial(value: Value | undefined): Value {
  if (value !== undefined && isKind(value, "float")) {
    throw raise("TypeError", "'float' object cannot be interpreted as an integer");
  }
  const n = nonNegative(value, "factorial() not defined for negative values");
  allocate(Number(n) * Math.log2(Number(n) + 2));
  return toInt(productOfRange(1n, n));
}

/** from · (from + 1) · … · to, halves first, so that large numbers are multiplied seldom. */
function productOfRange(from: bigint, to: bigint): bigint {
  if (from > to) return 1n;
  if (to - from < 16n) {
    let product = from;
    for (let i = from + 1n; i <= to; i++) product *= i;
    charge(bitLength(product) / 4 + 1);
    return product;
  }
  const middle = (from + to) / 2n;
  const [low, high] = [productOfRange(from, middle), productOfRange(middle + 1n, to)];
  charge((bitLength(low) / 64) * Math.sqrt(bitLength(high) / 64));
  return low * high;
}

function comb(a: Value | undefined, b: Value | undefined): Value {
  const n = nonNegative(a, "n must be a non-negative integer");
  const k = nonNegative(b, "k must be a non-negative integer");
  if (k > n) return 0;
  const few = k > n - k ? n - k : k;
  allocate(Number(few) * Math.log2(Number(n) + 2));
  return toInt(productOfRange(n - few + 1n, n) / productOfRange(1n, few));
}

function perm(a: Value | undefined, b: Value | undefined): Value {
  if (b === undefined || b === null) return factorial(a);
  const n = nonNegative(a, "n must be a non-negative integer");
  const k = nonNegative(b, "k must be a non-negative integer");
  if (k > n) return 0;
  allocate(Number(k) * Math.log2(Number(n) + 2));
  return toInt(productOfRange(n - k + 1n, n));
}

function fold(args: readonly (Value | undefined)[], combine: (a: bigint, b: bigint) => bigint, start: bigint): Value {
  return toInt(args.map((value) => BigInt(requireInt(value))).reduce(combine, start));
}

function lcm(a: bigint, b: bigint): bigint {
  if (a === 0n || b === 0n) return 0n;
  const product = (a / gcd(a, b)) * b;
  return product < 0n ? -product : product;
}

type Rounding = { special: "__floor__" | "__ceil__" | "__trunc__"; ofFloat: (x: number) => number };

function roundTo(value: Value, { special, ofFloat }: Rounding): Value {
  if (isInt(value)) return requireInt(value);
  if (isKind(value, "fraction")) {
    const exact = value.numerator / value.denominator;
    const isWhole = value.denominator === 1n;
    if (isWhole || special === "__trunc__") return toInt(exact);
    const floor = value.numerator < 0n ? exact - 1n : exact;
    return toInt(special === "__floor__" ? floor : floor + 1n);
  }
  if (isKind(value, "float")) return truncate(ofFloat(value.value));
  const found = callSpecial(value, special, []);
  if (found !== undefined) return found;
  if (special === "__trunc__") throw raise("TypeError", `type ${typeName(value)} doesn't define __trunc__ method`);
  return truncate(ofFloat(requireReal(value)));
}

/** Exact: partial sums without overlap (Shewchuk), then one rounding. */
function exactSum(values: Value): number {
  const partials: number[] = [];
  const iterator = iterate(values);
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    charge(8);
    let x = requireReal(item);
    let kept = 0;
    for (const partial of partials) {
      const [large, small] = Math.abs(x) < Math.abs(partial) ? [partial, x] : [x, partial];
      const sum = large + small;
      const rest = small - (sum - large);
      if (rest !== 0) partials[kept++] = rest;
      x = sum;
    }
    partials.length = kept;
    partials.push(x);
  }
  return partials.reduceRight((sum, partial) => sum + partial, 0);
}

function isClose([a, b, relative, absolute]: readonly (Value | undefined)[]): boolean {
  const [x, y] = [requireReal(a), requireReal(b)];
  const [rel, abs] = [requireReal(relative ?? toFloat(1e-9)), requireReal(absolute ?? toFloat(0))];
  if (x === y) return true;
  if (!Number.isFinite(x) || !Number.isFinite(y)) return false;
  const difference = Math.abs(x - y);
  return difference <= rel * Math.max(Math.abs(x), Math.abs(y)) || difference <= abs;
}

function distance(a: Value, b: Value): Value {
  const [p, q] = [toItems(a), toItems(b)];
  if (p.length !== q.length) throw raise("ValueError", "both points must have the same number of dimensions");
  return toFloat(Math.hypot(...p.map((x, i) => requireReal(x) - requireReal(q[i]))));
}

function floatPower(a: Value | undefined, b: Value | undefined): Value {
  const [x, y] = [requireReal(a), requireReal(b)];
  const result = x === 1 || y === 0 ? 1 : Math.pow(x, y);
  if (x === 0 && y < 0) throw domain();
  if (Number.isNaN(result) && !Number.isNaN(x) && !Number.isNaN(y)) throw domain();
  if (!Number.isFinite(result) && Number.isFinite(x) && Number.isFinite(y)) throw range();
  return toFloat(result);
}

function split(value: Value | undefined): { mantissa: number; exponent: number } {
  const x = requireReal(value);
  if (x === 0 || !Number.isFinite(x)) return { mantissa: x, exponent: 0 };
  let exponent = Math.max(-1023, Math.floor(Math.log2(Math.abs(x))) + 1);
  let mantissa = x * 2 ** -exponent;
  while (Math.abs(mantissa) < 0.5) [mantissa, exponent] = [mantissa * 2, exponent - 1];
  while (Math.abs(mantissa) >= 1) [mantissa, exponent] = [mantissa / 2, exponent + 1];
  return { mantissa, exponent };
}

export const mathModule = makeModule(
  "math",
  {
    sqrt: real(Math.sqrt),
    cbrt: real(Math.cbrt),
    exp: real(Math.exp),
    exp2: real((x) => 2 ** x),
    expm1: real(Math.expm1),
    sin: real(Math.sin),
    cos: real(Math.cos),
    tan: real(Math.tan),
    asin: real(Math.asin),
    acos: real(Math.acos),
    atan: real(Math.atan),
    sinh: real(Math.sinh),
    cosh: real(Math.cosh),
    tanh: real(Math.tanh),
    asinh: real(Math.asinh),
    acosh: real(Math.acosh),
    degrees: real((x) => x * (180 / Math.PI)),
    radians: real((x) => x * (Math.PI / 180)),
    fabs: real(Math.abs),
    atanh: [
      one,
      ([value]) => {
        const x = requireReal(value);
        if (Math.abs(x) >= 1) throw domain();
        return toFloat(Math.atanh(x));
      },
    ],
    log: [between(1, 2), ([value = null, base]) => log(value, base)],
    log2: logarithm(Math.log2, (bits) => bits),
    log10: logarithm(Math.log10, (bits) => bits * Math.log10(2)),
    log1p: [
      one,
      ([value]) => {
        const x = requireReal(value);
        if (x <= -1) throw domain();
        return toFloat(Math.log1p(x));
      },
    ],
    pow: [between(2, 2), ([a, b]) => floatPower(a, b)],
    atan2: [between(2, 2), ([a, b]) => toFloat(Math.atan2(requireReal(a), requireReal(b)))],
    fmod: [
      between(2, 2),
      ([a, b]) => {
        const [x, y] = [requireReal(a), requireReal(b)];
        if (y === 0 || !Number.isFinite(x)) throw domain();
        return toFloat(x % y);
      },
    ],
    remainder: [
      between(2, 2),
      ([a, b]) => {
        const [x, y] = [requireReal(a), requireReal(b)];
        if (y === 0) throw domain();
        return toFloat(x - y * Number(roundHalfEven(x / y)));
      },
    ],
    copysign: [
      between(2, 2),
      ([a, b]) => {
        const [x, y] = [requireReal(a), requireReal(b)];
        return toFloat(Math.abs(x) * (y < 0 || Object.is(y, -0) ? -1 : 1));
      },
    ],
    hypot: [any, (args) => toFloat(Math.hypot(...args.map(requireReal)))],
    dist: [between(2, 2), ([a = null, b = null]) => distance(a, b)],
    floor: [one, ([value = null]) => roundTo(value, { special: "__floor__", ofFloat: Math.floor })],
    ceil: [one, ([value = null]) => roundTo(value, { special: "__ceil__", ofFloat: Math.ceil })],
    trunc: [one, ([value = null]) => roundTo(value, { special: "__trunc__", ofFloat: Math.trunc })],
    modf: [
      one,
      ([value]) => {
        const x = requireReal(value);
        return toTuple([toFloat(x - Math.trunc(x)), toFloat(Math.trunc(x))]);
      },
    ],
    frexp: [
      one,
      ([value]) => {
        const { mantissa, exponent } = split(value);
        return toTuple([toFloat(mantissa), exponent]);
      },
    ],
    ldexp: [between(2, 2), ([a, b]) => toFloat(requireReal(a) * 2 ** requireCount(b))],
    factorial: [one, ([value]) => factorial(value)],
    comb: [between(2, 2), ([n, k]) => comb(n, k)],
    perm: [between(1, 2), ([n, k]) => perm(n, k)],
    gcd: [any, (args) => fold(args, gcd, 0n)],
    lcm: [any, (args) => fold(args, lcm, 1n)],
    isqrt: [one, ([value]) => toInt(integerSquareRoot(nonNegative(value, "isqrt() argument must be nonnegative")))],
    prod: [
      named(1, "iterable start", 1),
      ([values = null, start = 1]) => {
        let product = start;
        for (const item of toItems(values)) {
          product =
            isInt(product) && isInt(item) && typeof product !== "boolean" && typeof item !== "boolean"
              ? multiplyInts(product, item)
              : binary("*", product, item);
        }
        return product;
      },
    ],
    fsum: [one, ([values = null]) => toFloat(exactSum(values))],
    isclose: [named(2, "a b rel_tol abs_tol", 2), (args) => isClose(args)],
    isnan: [one, ([value]) => Number.isNaN(requireReal(value))],
    isinf: [one, ([value]) => Math.abs(requireReal(value)) === Infinity],
    isfinite: [one, ([value]) => Number.isFinite(requireReal(value))],
  },
  {
    pi: toFloat(Math.PI),
    e: toFloat(Math.E),
    tau: toFloat(2 * Math.PI),
    inf: toFloat(Infinity),
    nan: toFloat(Number.NaN),
  },
);
