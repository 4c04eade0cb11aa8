import type { BinaryOperator } from "../syntax/ast.ts";
import { raise } from "./errors.ts";
import { intToFloat } from "./integers.ts";
import { isInt, isKind, type Complex, type Value } from "./value.ts";

export function toComplex(value: Value): Complex | undefined {
  if (isKind(value, "complex")) return value;
  if (isKind(value, "float")) return { kind: "complex", real: value.value, imaginary: 0 };
  if (!isInt(value)) return undefined;
  return { kind: "complex", real: typeof value === "boolean" ? Number(value) : intToFloat(value), imaginary: 0 };
}

export function complexOperation(operator: BinaryOperator, a: Complex, b: Complex): Value | undefined {
  const make = (real: number, imaginary: number): Complex => ({ kind: "complex", real, imaginary });
  switch (operator) {
    case "+":
      return make(a.real + b.real, a.imaginary + b.imaginary);
    case "-":
      return make(a.real - b.real, a.imaginary - b.imaginary);
    case "*":
      return multiply(a, b);
    case "/":
      return divide(a, b);
    case "**":
      return power(a, b);
    default:
      return undefined;
  }
}

function multiply(a: Complex, b: Complex): Complex {
  return {
    kind: "complex",
    real: a.real * b.real - a.imaginary * b.imaginary,
    imaginary: a.real * b.imaginary + a.imaginary * b.real,
  };
}

/** Smith's method, which CPython uses. */
function divide(a: Complex, b: Complex): Complex {
  if (b.real === 0 && b.imaginary === 0) throw raise("ZeroDivisionError", "complex division by zero");
  if (Math.abs(b.real) >= Math.abs(b.imaginary)) {
    const ratio = b.imaginary / b.real;
    const scale = b.real + b.imaginary * ratio;
    return {
      kind: "complex",
      real: (a.real + a.imaginary * ratio) / scale,
      imaginary: (a.imaginary - a.real * ratio) / scale,
    };
  }
  const ratio = b.real / b.imaginary;
  const scale = b.real * ratio + b.imaginary;
  return {
    kind: "complex",
    real: (a.real * ratio + a.imaginary) / scale,
    imaginary: (a.imaginary * ratio - a.real) / scale,
  };
}

const maxWholeExponent = 100;

function power(a: Complex, b: Complex): Complex {
  const one: Complex = { kind: "complex", real: 1, imaginary: 0 };
  if (b.real === 0 && b.imaginary === 0) return one;
  if (a.real === 0 && a.imaginary === 0) {
    if (b.imaginary !== 0 || b.real < 0) {
      throw raise("ZeroDivisionError", "0.0 to a negative or complex power");
    }
    return { kind: "complex", real: 0, imaginary: 0 };
  }
  const isWhole = b.imaginary === 0 && Number.isInteger(b.real) && Math.abs(b.real) <= maxWholeExponent;
  if (isWhole) {
    let [result, factor] = [one, a];
    for (let n = Math.abs(b.real); n > 0; n = Math.floor(n / 2), factor = multiply(factor, factor)) {
      if (n % 2 === 1) result = multiply(result, factor);
    }
    return b.real < 0 ? divide(one, result) : result;
  }
  const [length, angle] = [Math.hypot(a.real, a.imaginary), Math.atan2(a.imaginary, a.real)];
  const newLength = Math.pow(length, b.real) * Math.exp(-b.imaginary * angle);
  const newAngle = angle * b.real + b.imaginary * Math.log(length);
  return { kind: "complex", real: newLength * Math.cos(newAngle), imaginary: newLength * Math.sin(newAngle) };
}
