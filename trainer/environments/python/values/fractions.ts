import type { BinaryOperator } from "../syntax/ast.ts";
import { raise } from "./errors.ts";
import { floatOperation } from "./floatOperations.ts";
import { divideInts, floorDivideBig, gcd, toInt } from "./integers.ts";
import { isInt, isKind, type FractionValue, type Value } from "./value.ts";

/** In lowest terms, the sign above the line. */
export function makeFraction(numerator: bigint, denominator: bigint): FractionValue {
  if (denominator === 0n) throw raise("ZeroDivisionError", `Fraction(${numerator}, 0)`);
  const divisor = gcd(numerator, denominator) * (denominator < 0n ? -1n : 1n);
  return { kind: "fraction", numerator: numerator / divisor, denominator: denominator / divisor };
}

export function fractionToFloat({ numerator, denominator }: FractionValue): number {
  return divideInts(toInt(numerator), toInt(denominator));
}

function toFraction(value: Value): FractionValue | undefined {
  if (isKind(value, "fraction")) return value;
  return isInt(value) ? { kind: "fraction", numerator: BigInt(value), denominator: 1n } : undefined;
}

/** With a float the result is a float. */
export function fractionOperation(operator: BinaryOperator, a: Value, b: Value): Value | undefined {
  if (isKind(a, "float") && isKind(b, "fraction")) return floatOperation(operator, a.value, fractionToFloat(b));
  if (isKind(b, "float") && isKind(a, "fraction")) return floatOperation(operator, fractionToFloat(a), b.value);
  const [x, y] = [toFraction(a), toFraction(b)];
  return x && y ? exactOperation(operator, x, y) : undefined;
}

function exactOperation(operator: BinaryOperator, a: FractionValue, b: FractionValue): Value | undefined {
  const [p, q, r, s] = [a.numerator, a.denominator, b.numerator, b.denominator];
  switch (operator) {
    case "+":
      return makeFraction(p * s + r * q, q * s);
    case "-":
      return makeFraction(p * s - r * q, q * s);
    case "*":
      return makeFraction(p * r, q * s);
    case "/":
      if (r === 0n) throw raise("ZeroDivisionError", `Fraction(${p * s}, 0)`);
      return makeFraction(p * s, q * r);
    case "//":
      requireDivisor(r);
      return toInt(floorDivideBig(p * s, q * r));
    case "%":
      requireDivisor(r);
      return makeFraction(p * s - floorDivideBig(p * s, q * r) * r * q, q * s);
    case "**":
      return powerOf(a, b);
    default:
      return undefined;
  }
}

function requireDivisor(numerator: bigint): void {
  if (numerator === 0n) throw raise("ZeroDivisionError", "integer division or modulo by zero");
}

function powerOf(a: FractionValue, b: FractionValue): Value | undefined {
  if (b.denominator !== 1n) return floatOperation("**", fractionToFloat(a), fractionToFloat(b));
  const exponent = b.numerator;
  if (exponent >= 0n) return makeFraction(a.numerator ** exponent, a.denominator ** exponent);
  if (a.numerator === 0n) throw raise("ZeroDivisionError", `Fraction(${a.denominator ** -exponent}, 0)`);
  return makeFraction(a.denominator ** -exponent, a.numerator ** -exponent);
}
