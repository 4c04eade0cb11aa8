import { guardDepth, raise } from "./errors.ts";
import { hashOf, keyOf } from "./hash.ts";
import { entriesOf, hasKey } from "./hashTable.ts";
import { callSpecial } from "./special.ts";
import { charge } from "./meter.ts";
import { truthOf } from "./truth.ts";
import { typeName } from "./typeName.ts";
import { either, isInt, isKind, isThing, type Thing, type Value } from "./value.ts";

export type Order = "<" | "<=" | ">" | ">=";

/** Python's `==`. */
export function isEqual(a: Value, b: Value): boolean {
  if (a === b) return !(isKind(a, "float") && Number.isNaN(a.value));
  if (typeof a === "string" || typeof b === "string" || a === null || b === null) {
    return isThing(a) || isThing(b) ? specialEqual(a, b) : false;
  }
  const [x, y] = [realOf(a), realOf(b)];
  if (x !== undefined && y !== undefined) return equalReals(x, y);
  if (!isThing(a) || !isThing(b)) return specialEqual(a, b);
  return guardDepth(() => equalThings(a, b), " in comparison");
}

/** Identical or equal, as containers look for items. */
export function isSame(a: Value, b: Value): boolean {
  return a === b || isEqual(a, b);
}

function realOf(value: Value): number | bigint | undefined {
  if (isInt(value)) return typeof value === "boolean" ? Number(value) : value;
  return isKind(value, "float") ? value.value : undefined;
}

/** Numbers of both kinds are compared exactly, as mathematics has it. */
function equalReals(a: number | bigint, b: number | bigint): boolean {
  return typeof a === typeof b ? a === b : !(a < b) && !(a > b) && !Number.isNaN(Number(a)) && !Number.isNaN(Number(b));
}

function equalThings(a: Thing, b: Thing): boolean {
  if (isNumeric(a) && isNumeric(b)) return keyOf(a) === keyOf(b);
  switch (a.kind) {
    case "list":
    case "tuple":
    case "deque":
      return a.kind === b.kind && equalItems(a.items, b.items);
    case "dict":
      return b.kind === "dict" && equalDicts(a, b);
    case "set":
      return b.kind === "set" && a.table.used === b.table.used && isSubset(a, b);
    case "view":
      return b.kind === "view" ? a.title !== "dict_values" && equalDicts(a.dict, b.dict) : specialEqual(a, b);
    case "range":
      return b.kind === "range" && equalRanges(a, b);
    case "method":
      return b.kind === "method" && a.self === b.self && a.callee === b.callee;
    default:
      return specialEqual(a, b);
  }
}

function isNumeric({ kind }: Thing): boolean {
  return kind === "float" || kind === "complex" || kind === "fraction";
}

function specialEqual(a: Value, b: Value): boolean {
  if (isInt(a) && isThing(b) && isNumeric(b)) return keyOf(a) === keyOf(b);
  if (isInt(b) && isThing(a) && isNumeric(a)) return keyOf(a) === keyOf(b);
  const result = either(callSpecial(a, "__eq__", [b]), () => callSpecial(b, "__eq__", [a]));
  return result === undefined ? false : truthOf(result);
}

function equalItems(a: readonly Value[], b: readonly Value[]): boolean {
  charge(a.length);
  return a.length === b.length && a.every((item, i) => isSame(item, b[i] ?? null));
}

function equalDicts(a: Extract<Thing, { kind: "dict" }>, b: Extract<Thing, { kind: "dict" }>): boolean {
  if (a.entries.size !== b.entries.size) return false;
  for (const [key, { value }] of a.entries) {
    const other = b.entries.get(key);
    if (other === undefined || !isSame(value, other.value)) return false;
  }
  return true;
}

export function isSubset(a: Extract<Thing, { kind: "set" }>, b: Extract<Thing, { kind: "set" }>): boolean {
  charge(a.table.used);
  return a.table.used <= b.table.used && entriesOf(a.table).every((entry) => hasKey(b.table, entry));
}

function equalRanges(a: Extract<Thing, { kind: "range" }>, b: Extract<Thing, { kind: "range" }>): boolean {
  const [x, y] = [a, b].map(({ start, stop, step }) => {
    const length = step > 0 ? Number(stop) - Number(start) : Number(start) - Number(stop);
    const count = Math.max(0, Math.ceil(length / Math.abs(Number(step))));
    return count === 0 ? "" : `${count} ${String(start)} ${count === 1 ? "" : String(step)}`;
  });
  return x === y;
}

/** Python's `<` and its relatives, for values that have an order. */
export function isOrdered(a: Value, operator: Order, b: Value): boolean {
  if (typeof a === "string" && typeof b === "string") return orderBy(compareTexts(a, b), operator);
  const [x, y] = [realOf(a), realOf(b)];
  if (x !== undefined && y !== undefined) return orderReals(x, operator, y);
  if (isThing(a) && isThing(b)) {
    const result = guardDepth(() => orderThings(a, operator, b), " in comparison");
    if (result !== undefined) return result;
  }
  return orderSpecial(a, operator, b);
}

/** By code points, which for characters beyond the sixteen-bit ones is not by units. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const isPlain = !/[\ud800-\udfff]/.test(a) && !/[\ud800-\udfff]/.test(b);
  if (isPlain) return a < b ? -1 : 1;
  const [x, y] = [Array.from(a), Array.from(b)];
  const i = x.findIndex((c, index) => c !== y[index]);
  if (i === -1) return -1;
  return (x[i]?.codePointAt(0) ?? -1) - (y[i]?.codePointAt(0) ?? -1);
}

function orderReals(a: number | bigint, operator: Order, b: number | bigint): boolean {
  if (operator === "<") return a < b;
  if (operator === ">") return a > b;
  return operator === "<=" ? a <= b : a >= b;
}

function orderBy(sign: number, operator: Order): boolean {
  return orderReals(sign, operator, 0);
}

function orderThings(a: Thing, operator: Order, b: Thing): boolean | undefined {
  if ((a.kind === "list" || a.kind === "tuple" || a.kind === "deque") && a.kind === b.kind) {
    return orderItems(a.items, operator, b.items);
  }
  if (a.kind === "set" && b.kind === "set") {
    const [small, large] = operator === "<" || operator === "<=" ? [a, b] : [b, a];
    const isProper = operator === "<" || operator === ">";
    return isSubset(small, large) && !(isProper && small.table.used === large.table.used);
  }
  if (a.kind === "dict" && b.kind === "dict" && a.flavour === "Counter" && b.flavour === "Counter") {
    return undefined;
  }
  return orderFractions(a, operator, b);
}

/** The first items that differ decide; where none do, the lengths. */
function orderItems(a: readonly Value[], operator: Order, b: readonly Value[]): boolean {
  charge(Math.min(a.length, b.length));
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [x, y] = [a[i] ?? null, b[i] ?? null];
    if (!isSame(x, y)) return isOrdered(x, operator, y);
  }
  return orderReals(a.length, operator, b.length);
}

function orderFractions(a: Value, operator: Order, b: Value): boolean | undefined {
  const [x, y] = [ratioOf(a), ratioOf(b)];
  if (x === undefined || y === undefined) return undefined;
  if (typeof x === "number" || typeof y === "number") return orderReals(toReal(x), operator, toReal(y));
  return orderReals(x.numerator * y.denominator, operator, y.numerator * x.denominator);
}

type Ratio = { numerator: bigint; denominator: bigint };

function ratioOf(value: Value): Ratio | number | undefined {
  if (isKind(value, "fraction")) return value;
  const real = realOf(value);
  if (real === undefined) return undefined;
  return typeof real === "number" && !Number.isInteger(real) ? real : { numerator: BigInt(real), denominator: 1n };
}

function toReal(ratio: Ratio | number): number {
  return typeof ratio === "number" ? ratio : Number(ratio.numerator) / Number(ratio.denominator);
}

const mirrored = { "<": "__gt__", "<=": "__ge__", ">": "__lt__", ">=": "__le__" } as const;
const specials = { "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__" } as const;

function orderSpecial(a: Value, operator: Order, b: Value): boolean {
  const fraction = orderFractions(a, operator, b);
  if (fraction !== undefined && (isKind(a, "fraction") || isKind(b, "fraction"))) return fraction;
  const result = either(callSpecial(a, specials[operator], [b]), () => callSpecial(b, mirrored[operator], [a]));
  if (result !== undefined) return truthOf(result);
  throw raise("TypeError", `'${operator}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}

/** Whether a set has a value; a set looked for in a set is taken for a frozen one. */
export function setHas(set: Extract<Thing, { kind: "set" }>, value: Value): boolean {
  return hasKey(set.table, hashOf(isKind(value, "set") ? { ...value, isFrozen: true } : value));
}
