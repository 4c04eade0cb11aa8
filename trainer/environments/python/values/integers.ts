import { raise } from "./errors.ts";
import { allocate, charge } from "./meter.ts";
import type { Int } from "./value.ts";

/** A bigint as a number where that is exact. */
export function toInt(value: bigint): Int {
  return value >= minSafe && value <= maxSafe ? Number(value) : value;
}

const minSafe = BigInt(Number.MIN_SAFE_INTEGER);
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);
const bitsPerItem = 64;

export function addInts(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return toInt(BigInt(a) + BigInt(b));
}

export function subtractInts(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return toInt(BigInt(a) - BigInt(b));
}

export function multiplyInts(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    // Zero is never minus zero.
    if (Number.isSafeInteger(product)) return product + 0;
  }
  const [x, y] = [BigInt(a), BigInt(b)];
  const [wordsX, wordsY] = [bitLength(x) / bitsPerItem, bitLength(y) / bitsPerItem];
  allocate(wordsX + wordsY);
  charge(wordsX * Math.sqrt(wordsY));
  return toInt(x * y);
}

export function negateInt(a: Int): Int {
  return typeof a === "number" ? 0 - a : toInt(-a);
}

/** Rounded down. `title` is what the error says where `b` is zero. */
export function floorDivideInts(a: Int, b: Int, title = "integer division or modulo by zero"): Int {
  if (b === 0) throw raise("ZeroDivisionError", title);
  if (typeof a === "number" && typeof b === "number") return (a - moduloNumbers(a, b)) / b + 0;
  return toInt(floorDivideBig(BigInt(a), BigInt(b)));
}

export function floorDivideBig(a: bigint, b: bigint): bigint {
  charge((bitLength(a) / bitsPerItem) * Math.sqrt(bitLength(b) / bitsPerItem));
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

/** With the sign of `b`. */
export function moduloInts(a: Int, b: Int, title = "integer modulo by zero"): Int {
  if (b === 0) throw raise("ZeroDivisionError", title);
  if (typeof a === "number" && typeof b === "number") return moduloNumbers(a, b);
  const [x, y] = [BigInt(a), BigInt(b)];
  return toInt(x - floorDivideBig(x, y) * y);
}

function moduloNumbers(a: number, b: number): number {
  const rest = a % b;
  return (rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest) + 0;
}

/** `exponent` is not negative. */
export function powerInts(base: Int, exponent: Int): Int {
  const quick = Math.pow(Number(base), Number(exponent));
  if (Number.isSafeInteger(quick) && typeof base === "number") return quick + 0;
  if (base === 0 || base === 1) return base;
  if (base === -1) return moduloInts(exponent, 2) === 0 ? 1 : -1;
  const numWords = (bitLength(BigInt(base)) * Number(exponent)) / bitsPerItem;
  allocate(numWords * bitsPerItem);
  charge(numWords * Math.sqrt(numWords));
  return toInt(BigInt(base) ** BigInt(exponent));
}

/** base ** exponent % modulus by repeated squaring, with the sign of the modulus. */
export function powerModulo(base: Int, exponent: Int, modulus: Int): Int {
  if (modulus === 0) throw raise("ValueError", "pow() 3rd argument cannot be 0");
  const m = BigInt(modulus);
  const size = m < 0n ? -m : m;
  let [factor, rest, result] = [BigInt(base), BigInt(exponent), 1n];
  if (rest < 0n) [factor, rest] = [invert(factor, size), -rest];
  const cost = (bitLength(size) / bitsPerItem) ** 1.5;
  for (factor %= size; rest > 0n; rest >>= 1n, factor = (factor * factor) % size) {
    charge(cost + 1);
    if ((rest & 1n) === 1n) result = (result * factor) % size;
  }
  return moduloInts(toInt(result), modulus);
}

function invert(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [((value % modulus) + modulus) % modulus, modulus, 1n, 0n];
  while (b !== 0n) {
    const quotient = a / b;
    [a, b, x, y] = [b, a % b, y, x - quotient * y];
  }
  if (a !== 1n) throw raise("ValueError", "base is not invertible for the given modulus");
  return x;
}

export function shiftInts(a: Int, count: Int, direction: "<<" | ">>"): Int {
  if (count < 0) throw raise("ValueError", "negative shift count");
  if (a === 0) return 0;
  if (direction === ">>") {
    if (count > bitLength(BigInt(a))) return a < 0 ? -1 : 0;
    return toInt(BigInt(a) >> BigInt(count));
  }
  allocate(Number(count));
  return toInt(BigInt(a) << BigInt(count));
}

export function combineBits(a: Int, b: Int, operator: "&" | "|" | "^"): Int {
  const [x, y] = [BigInt(a), BigInt(b)];
  if (operator === "&") return toInt(x & y);
  return toInt(operator === "|" ? x | y : x ^ y);
}

export function bitLength(value: bigint): number {
  const size = value < 0n ? -value : value;
  if (size <= maxSafe) return size === 0n ? 0 : Math.floor(Math.log2(Number(size))) + 1;
  const hex = size.toString(16);
  return (hex.length - 1) * 4 + parseInt(hex.charAt(0), 16).toString(2).length;
}

/** The nearest float to a / b, ties to even, however large both are. */
export function divideInts(a: Int, b: Int): number {
  if (b === 0) throw raise("ZeroDivisionError", "division by zero");
  if (typeof a === "number" && typeof b === "number") return a / b;
  const [x, y] = [BigInt(a), BigInt(b)];
  if (x === 0n) return 0;
  const [p, q] = [x < 0n ? -x : x, y < 0n ? -y : y];
  // 66 bits of quotient and one for whatever is left: one rounding, by Number.
  const shift = 66 - (bitLength(p) - bitLength(q));
  const [top, bottom] = shift > 0 ? [p << BigInt(shift), q] : [p, q << BigInt(-shift)];
  const quotient = ((top / bottom) << 1n) | (top % bottom === 0n ? 0n : 1n);
  const size = scale(Number(quotient), -shift - 1);
  if (!Number.isFinite(size)) throw raise("OverflowError", "integer division result too large for a float");
  return x < 0n === y < 0n ? size : -size;
}

/** value · 2 ** exponent in two steps, so that neither factor is out of range. */
function scale(value: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return value * 2 ** half * 2 ** (exponent - half);
}

export function intToFloat(value: Int): number {
  const number = Number(value);
  if (!Number.isFinite(number)) throw raise("OverflowError", "int too large to convert to float");
  return number;
}

export const maxDigits = 4300;

export function intToText(value: Int): string {
  if (typeof value === "number") return String(value);
  if (bitLength(value) > maxDigits * 3.3219281) {
    const text = value.toString();
    if (text.length - (value < 0n ? 1 : 0) <= maxDigits) return text;
    const advice = "use sys.set_int_max_str_digits() to increase the limit";
    throw raise("ValueError", `Exceeds the limit (${maxDigits} digits) for integer string conversion; ${advice}`);
  }
  charge(bitLength(value) / 8);
  return value.toString();
}

export function integerSquareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  charge(bitLength(value) / 4);
  let guess = 1n << BigInt(Math.ceil(bitLength(value) / 2));
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

export function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  charge(bitLength(x) / 4 + 1);
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}
