import { raise } from "./errors.ts";
import { entriesOf } from "./hashTable.ts";
import { callValue } from "./meter.ts";
import { typeName } from "./typeName.ts";
import type { Hashed, Instance, Key, Value } from "./value.ts";

const prime = 2n ** 61n - 1n;

/** What a value is compared by: equal values, and only those, have equal keys. Raises TypeError for what can change. */
export function keyOf(value: Value): Key {
  switch (typeof value) {
    case "string":
      return value.startsWith("\0") ? `\0s${value}` : value;
    case "number":
    case "bigint":
      return value;
    case "boolean":
      return value ? 1 : 0;
    default:
      return keyOfThing(value);
  }
}

function keyOfThing(value: Exclude<Value, string | number | bigint | boolean>): Key {
  if (value === null) return null;
  switch (value.kind) {
    case "float":
      return keyOfFloat(value.value, value);
    case "complex":
      return value.imaginary === 0 ? keyOfFloat(value.real, value) : `\0c${value.real},${value.imaginary}`;
    case "fraction":
      return value.denominator === 1n ? narrow(value.numerator) : keyOfFraction(value.numerator, value.denominator);
    case "tuple":
      return `\0t${value.items.map((item) => encode(keyOf(item))).join("")}`;
    case "set":
      if (!value.isFrozen) throw unhashable(value);
      return `\0f${entriesOf(value.table)
        .map(({ key }) => encode(key))
        .sort()
        .join("")}`;
    case "range":
      return `\0r${String(value.start)},${String(value.stop)},${String(value.step)}`;
    case "instance":
      return keyOfInstance(value);
    case "method":
      return `\0m${encode(keyOf(value.self))}${encode(keyOf(value.callee))}`;
    case "list":
    case "dict":
    case "slice":
    case "deque":
      throw unhashable(value);
    default:
      return value;
  }
}

/** An instance with `__eq__` is compared by its hash alone; others are themselves. */
function keyOfInstance(value: Instance): Key {
  const method = findMember(value, "__hash__");
  if (method !== undefined) return `\0h${encode(keyOf(callValue(method, [value])))}`;
  if (findMember(value, "__eq__") !== undefined) throw unhashable(value);
  return value;
}

function findMember(value: Instance, name: string): Value | undefined {
  return value.type.ancestors.find((type) => type.members.has(name))?.members.get(name);
}

function unhashable(value: Value) {
  return raise("TypeError", `unhashable type: '${typeName(value)}'`);
}

function keyOfFloat(value: number, identity: object): Key {
  if (Number.isNaN(value)) return identity;
  if (!Number.isFinite(value) || !Number.isInteger(value)) return value;
  return Number.isSafeInteger(value) ? value + 0 : BigInt(value);
}

/** A fraction that a float holds exactly is equal to it. */
function keyOfFraction(numerator: bigint, denominator: bigint): Key {
  const quotient = Number(numerator) / Number(denominator);
  const isBinary = (denominator & (denominator - 1n)) === 0n && Number.isSafeInteger(Number(numerator));
  return isBinary ? quotient : `\0q${numerator}/${denominator}`;
}

function narrow(value: bigint): Key {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

const identities = new WeakMap<object, number>();
let numIdentities = 0;

/** A number of its own for every thing that is only equal to itself. */
function identityOf(thing: object): number {
  const known = identities.get(thing);
  if (known !== undefined) return known;
  identities.set(thing, ++numIdentities);
  return numIdentities;
}

/** A key as a part of a longer one, its length before it. */
function encode(key: Key): string {
  const text =
    typeof key === "object" && key !== null ? `o${identityOf(key)}` : `${(typeof key).charAt(0)}${String(key)}`;
  return `${text.length}:${text}`;
}

export function hashOf(value: Value): Hashed {
  const key = keyOf(value);
  const hash = hashValue(value, key);
  return { key, hash: Number(hash & 0xffffffffn), high: Number((hash >> 32n) & 0xffffffffn) };
}

/** As CPython has it for numbers and tuples of them, as 64 bits; anything else may differ from run to run there. */
export function hashValue(value: Value, key: Key): bigint {
  if (typeof key === "number") return Number.isInteger(key) ? hashInteger(BigInt(key)) : hashFloat(key);
  if (typeof key === "bigint") return hashInteger(key);
  if (typeof value === "object" && value !== null && value.kind === "tuple") return hashTuple(value.items);
  if (typeof key === "string") return hashText(key);
  // Things equal only to themselves: any number will do that does not differ from run to run.
  return 7n;
}

function hashInteger(value: bigint): bigint {
  const residue = value < 0n ? -(-value % prime) : value % prime;
  return BigInt.asUintN(64, residue === -1n ? -2n : residue);
}

function hashFloat(value: number): bigint {
  if (!Number.isFinite(value)) return BigInt.asUintN(64, value > 0 ? 314159n : -314159n);
  let [mantissa, exponent] = [Math.abs(value), 0];
  while (!Number.isInteger(mantissa)) [mantissa, exponent] = [mantissa * 2, exponent - 1];
  const shift = BigInt(((exponent % 61) + 61) % 61);
  const residue = ((BigInt(mantissa) % prime) << shift) % prime;
  return hashInteger(value < 0 ? -residue : residue);
}

/** xxHash as CPython uses it for tuples. */
function hashTuple(items: readonly Value[]): bigint {
  const [p1, p2, p5] = [11400714785074694791n, 14029467366897019727n, 2870177450012600261n];
  let acc = p5;
  for (const item of items) {
    acc = BigInt.asUintN(64, acc + hashValue(item, keyOf(item)) * p2);
    acc = BigInt.asUintN(64, (acc << 31n) | (acc >> 33n));
    acc = BigInt.asUintN(64, acc * p1);
  }
  acc = BigInt.asUintN(64, acc + (BigInt(items.length) ^ (p5 ^ 3527539n)));
  return acc === 2n ** 64n - 1n ? 1546275796n : acc;
}

function hashText(text: string): bigint {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return BigInt(hash >>> 0);
}
