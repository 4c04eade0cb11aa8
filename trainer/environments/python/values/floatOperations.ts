import type { BinaryOperator } from "../syntax/ast.ts";
import { raise } from "./errors.ts";
import { toFloat, type Value } from "./value.ts";

/** Floats as CPython has them: division by zero and overflow of powers raise. */
export function floatOperation(operator: BinaryOperator, a: number, b: number): Value | undefined {
  switch (operator) {
    case "+":
      return toFloat(a + b);
    case "-":
      return toFloat(a - b);
    case "*":
      return toFloat(a * b);
    case "/":
      if (b === 0) throw raise("ZeroDivisionError", "float division by zero");
      return toFloat(a / b);
    case "//":
      if (b === 0) throw raise("ZeroDivisionError", "float floor division by zero");
      return toFloat(divideFloor(a, b).quotient);
    case "%":
      if (b === 0) throw raise("ZeroDivisionError", "float modulo");
      return toFloat(divideFloor(a, b).rest);
    case "**":
      return floatPower(a, b);
    default:
      return undefined;
  }
}

export function divideFloor(a: number, b: number): { quotient: number; rest: number } {
  let rest = a % b;
  let quotient = (a - rest) / b;
  if (rest !== 0) {
    if (b < 0 !== rest < 0) [rest, quotient] = [rest + b, quotient - 1];
  } else rest = b < 0 ? -0 : 0;
  if (quotient === 0) return { quotient: a / b < 0 ? -0 : 0, rest };
  const floor = Math.floor(quotient);
  return { quotient: quotient - floor > 0.5 ? floor + 1 : floor, rest };
}

export function floatPower(a: number, b: number): Value {
  if (b === 0 || a === 1) return toFloat(1);
  if (a === 0 && b < 0) throw raise("ZeroDivisionError", "0.0 cannot be raised to a negative power");
  if (a < 0 && Number.isFinite(a) && Number.isFinite(b) && !Number.isInteger(b)) return complexPower(a, b);
  if (Math.abs(a) === 1 && !Number.isFinite(b)) return toFloat(1);
  const power = Math.pow(a, b);
  if (!Number.isFinite(power) && Number.isFinite(a) && Number.isFinite(b)) {
    throw raise("OverflowError", 34, "Numerical result out of range");
  }
  return toFloat(power);
}

/** A negative base and no whole exponent. */
function complexPower(a: number, b: number): Value {
  const length = Math.pow(-a, b);
  const angle = Math.PI * b;
  return { kind: "complex", real: length * Math.cos(angle), imaginary: length * Math.sin(angle) };
}
