import { raise } from "../values/errors.ts";
import { toRatio } from "../values/floats.ts";
import { makeFraction } from "../values/fractions.ts";
import { bitLength, toInt } from "../values/integers.ts";
import { isKind, toTuple, type FractionValue, type Value } from "../values/value.ts";
import { named, none, type Body, type Signature } from "./define.ts";

const bigOf = (value: Value | undefined): bigint =>
  typeof value === "bigint" || typeof value === "number" || typeof value === "boolean" ? BigInt(value) : 0n;
const floatOf = (value: Value | undefined): number => (value !== undefined && isKind(value, "float") ? value.value : 0);

export const intMethods: Readonly<Record<string, readonly [Signature, Body]>> = {
  bit_length: [none, ([self]) => bitLength(bigOf(self))],
  bit_count: [none, ([self]) => bigOf(self).toString(2).replaceAll(/[^1]/g, "").length],
  conjugate: [none, ([self]) => toInt(bigOf(self))],
  is_integer: [none, () => true],
  as_integer_ratio: [none, ([self]) => toTuple([toInt(bigOf(self)), 1])],
};

export const floatMethods: Readonly<Record<string, readonly [Signature, Body]>> = {
  is_integer: [none, ([self]) => Number.isInteger(floatOf(self))],
  conjugate: [none, ([self = null]) => self],
  as_integer_ratio: [
    none,
    ([self]) => {
      const value = floatOf(self);
      if (Number.isNaN(value)) throw raise("ValueError", "cannot convert NaN to integer ratio");
      if (!Number.isFinite(value)) throw raise("OverflowError", "cannot convert Infinity to integer ratio");
      const { numerator, denominator } = toRatio(value);
      return toTuple([toInt(numerator), toInt(denominator)]);
    },
  ],
};

export const fractionMethods: Readonly<Record<string, readonly [Signature, Body]>> = {
  as_integer_ratio: [
    none,
    ([self]) => {
      const { numerator, denominator } = fractionOf(self);
      return toTuple([toInt(numerator), toInt(denominator)]);
    },
  ],
  limit_denominator: [
    named(0, "max_denominator"),
    ([self, limit = 1_000_000]) => limitDenominator(fractionOf(self), bigOf(limit)),
  ],
};

function fractionOf(value: Value | undefined): FractionValue {
  if (value !== undefined && isKind(value, "fraction")) return value;
  throw raise("TypeError", "a Fraction is required");
}

/** The nearest fraction with a denominator of at most so much, by the continued fraction. */
function limitDenominator(value: FractionValue, limit: bigint): FractionValue {
  if (limit < 1n) throw raise("ValueError", "max_denominator should be at least 1");
  if (value.denominator <= limit) return value;
  let [p0, q0, p1, q1] = [0n, 1n, 1n, 0n];
  let [n, d] = [value.numerator, value.denominator];
  for (;;) {
    const a = n >= 0n ? n / d : -((-n + d - 1n) / d);
    const q2 = q0 + a * q1;
    if (q2 > limit) break;
    [p0, q0, p1, q1] = [p1, q1, p0 + a * p1, q2];
    [n, d] = [d, n - a * d];
  }
  const k = (limit - q0) / q1;
  const [first, second] = [makeFraction(p0 + k * p1, q0 + k * q1), makeFraction(p1, q1)];
  return distance(second, value) <= distance(first, value) ? second : first;
}

function distance(a: FractionValue, b: FractionValue): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  const scale = 10n ** 30n;
  return Number(((difference < 0n ? -difference : difference) * scale) / (a.denominator * b.denominator));
}
