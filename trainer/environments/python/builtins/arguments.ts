import { raise } from "../values/errors.ts";
import { intToFloat } from "../values/integers.ts";
import { fractionToFloat } from "../values/fractions.ts";
import { requireIndex } from "../values/sequences.ts";
import { callSpecial } from "../values/special.ts";
import { typeName } from "../values/typeName.ts";
import { isInt, isKind, type Int, type Value } from "../values/value.ts";

/** What CPython asks of a whole-number argument. */
export function requireInt(value: Value | undefined): Int {
  return requireIndex(value ?? null);
}

/** A whole number small enough for a count or a place. */
export function requireCount(value: Value | undefined): number {
  const number = Number(requireInt(value));
  if (!Number.isSafeInteger(number)) throw raise("OverflowError", "Python int too large to convert to C ssize_t");
  return number;
}

export function requireReal(value: Value | undefined): number {
  const real = toReal(value ?? null);
  if (real !== undefined) return real;
  throw raise("TypeError", `must be real number, not ${typeName(value ?? null)}`);
}

/** Any number but a complex one, as a float. */
export function toReal(value: Value): number | undefined {
  if (isInt(value)) return typeof value === "boolean" ? Number(value) : intToFloat(value);
  if (isKind(value, "float")) return value.value;
  if (isKind(value, "fraction")) return fractionToFloat(value);
  const special = callSpecial(value, "__float__", []) ?? callSpecial(value, "__index__", []);
  return special === undefined ? undefined : toReal(special);
}
