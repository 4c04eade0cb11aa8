import { isRaised, raise } from "./errors.ts";
import { valuesOf } from "./hashTable.ts";
import { addInts, subtractInts } from "./integers.ts";
import { allocate, callValue, charge } from "./meter.ts";
import { callSpecial, findSpecial } from "./special.ts";
import { typeName } from "./typeName.ts";
import { isKind, toTuple, type Int, type Iterator, type Range, type Thing, type Value } from "./value.ts";

/** `iter(value)` */
export function iterate(value: Value): Iterator {
  if (typeof value === "string") return iterateItems("str_iterator", toCharacters(value));
  if (typeof value !== "object" || value === null) throw notIterable(value);
  switch (value.kind) {
    case "list":
      return iterateList(value);
    case "tuple":
      return iterateItems("tuple_iterator", value.items);
    case "range":
      return iterateRange(value);
    case "iterator":
      return value;
    case "dict":
      return iterateDict(value, "dict_keyiterator", ({ key }) => key);
    case "set":
      return iterateSet(value);
    case "deque":
      return iterateItems("_collections._deque_iterator", value.items);
    case "view":
      return iterateDict(value.dict, viewIterators[value.title], pickers[value.title]);
    default:
      return iterateInstance(value);
  }
}

const viewIterators = {
  dict_keys: "dict_keyiterator",
  dict_values: "dict_valueiterator",
  dict_items: "dict_itemiterator",
} as const;
const pickers = {
  dict_keys: ({ key }: { key: Value; value: Value }) => key,
  dict_values: ({ value }: { key: Value; value: Value }) => value,
  dict_items: ({ key, value }: { key: Value; value: Value }) => toTuple([key, value]),
} as const;

function notIterable(value: Value) {
  return raise("TypeError", `'${typeName(value)}' object is not iterable`);
}

/** Code points, which Python's texts are made of. */
export function toCharacters(text: string): readonly string[] {
  allocate(text.length);
  return isPlainText(text) ? text.split("") : Array.from(text);
}

export function isPlainText(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text);
}

export function makeIterator(title: string, next: () => Value | undefined): Iterator {
  let isDone = false;
  return {
    kind: "iterator",
    title,
    next() {
      if (isDone) return undefined;
      const value = next();
      if (value === undefined) isDone = true;
      return value;
    },
  };
}

export function iterateItems(title: string, items: readonly Value[]): Iterator {
  let i = 0;
  return makeIterator(title, () => (i < items.length ? (items[i++] ?? null) : undefined));
}

/** A list may grow while it is gone through. */
function iterateList(list: Extract<Thing, { kind: "list" }>): Iterator {
  let i = 0;
  return makeIterator("list_iterator", () => (i < list.items.length ? (list.items[i++] ?? null) : undefined));
}

export function rangeLength({ start, stop, step }: Range): Int {
  if (typeof start === "number" && typeof stop === "number" && typeof step === "number") {
    return Math.max(0, Math.ceil((stop - start) / step));
  }
  const [a, b, c] = [BigInt(start), BigInt(stop), BigInt(step)];
  const length = c > 0n ? (b - a + c - 1n) / c : (a - b - c - 1n) / -c;
  return length <= 0n ? 0 : length <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(length) : length;
}

function iterateRange(range: Range): Iterator {
  const { start, stop, step } = range;
  let i = start;
  if (typeof start === "number" && typeof stop === "number" && typeof step === "number") {
    let at = start;
    const isUp = step > 0;
    return makeIterator("range_iterator", () => {
      if (isUp ? at >= stop : at <= stop) return undefined;
      const value = at;
      at += step;
      return value;
    });
  }
  return makeIterator("longrange_iterator", () => {
    if (step > 0 ? i >= stop : i <= stop) return undefined;
    const value = i;
    i = addInts(i, step);
    return value;
  });
}

type DictValue = Extract<Thing, { kind: "dict" }>;

export function iterateDict(
  dict: DictValue,
  title: string,
  pick: (entry: { key: Value; value: Value }) => Value,
): Iterator {
  const size = dict.entries.size;
  const entries = dict.entries.values();
  return makeIterator(title, () => {
    if (dict.entries.size !== size) throw raise("RuntimeError", "dictionary changed size during iteration");
    const { value, done } = entries.next();
    return done === true || value === undefined ? undefined : pick(value);
  });
}

function iterateSet(set: Extract<Thing, { kind: "set" }>): Iterator {
  const { used } = set.table;
  charge(used);
  const items = valuesOf(set.table);
  let i = 0;
  return makeIterator("set_iterator", () => {
    if (set.table.used !== used) throw raise("RuntimeError", "Set changed size during iteration");
    return i < items.length ? (items[i++] ?? null) : undefined;
  });
}

function iterateInstance(value: Thing): Iterator {
  const found = callSpecial(value, "__iter__", []);
  if (found === undefined) {
    if (findSpecial(value, "__getitem__") === undefined) throw notIterable(value);
    return iterateBySubscript(value);
  }
  if (isKind(found, "iterator")) return found;
  const next = findSpecial(found, "__next__");
  if (next === undefined) {
    throw raise("TypeError", `iter() returned non-iterator of type '${typeName(found)}'`);
  }
  return makeIterator(typeName(found), () => untilStop("StopIteration", () => callValue(next, [found])));
}

function iterateBySubscript(value: Value): Iterator {
  let i = 0;
  return makeIterator("iterator", () =>
    untilStop("IndexError", () => callSpecial(value, "__getitem__", [i++]) ?? null),
  );
}

function untilStop(name: "StopIteration" | "IndexError", next: () => Value): Value | undefined {
  try {
    return next();
  } catch (error) {
    if (isRaised(error, name)) return undefined;
    throw error;
  }
}

/** Every item at once. */
export function toItems(value: Value): readonly Value[] {
  if (typeof value === "object" && value !== null && (value.kind === "list" || value.kind === "tuple")) {
    charge(value.items.length);
    return value.items;
  }
  if (isKind(value, "range")) return rangeItems(value);
  const iterator = iterate(value);
  const items: Value[] = [];
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    items.push(item);
    if (items.length % 256 === 0) allocate(items.length);
    charge(1);
  }
  return items;
}

function rangeItems(range: Range): readonly Value[] {
  const length = Number(rangeLength(range));
  allocate(length);
  const items: Value[] = [];
  for (let [i, value] = [0, range.start]; i < length; i++, value = addInts(value, range.step)) items.push(value);
  return items;
}

/** The items from the last to the first, of what has an order that can be reversed. */
export function reverse(value: Value): Iterator {
  if (isKind(value, "range")) {
    const length = rangeLength(value);
    const last = addInts(value.start, productOf(subtractInts(length, 1), value.step));
    return iterateRange({
      kind: "range",
      start: last,
      stop: subtractInts(value.start, value.step),
      step: negate(value.step),
    });
  }
  if (isKind(value, "dict") || isKind(value, "view")) {
    return iterateItems("dict_reversekeyiterator", toItems(value).toReversed());
  }
  const isSequence =
    typeof value === "string" || isKind(value, "list") || isKind(value, "tuple") || isKind(value, "deque");
  if (!isSequence) return reverseInstance(value);
  return iterateItems(isKind(value, "list") ? "list_reverseiterator" : "reversed", toItems(value).toReversed());
}

function reverseInstance(value: Value): Iterator {
  const found = callSpecial(value, "__reversed__", []);
  if (found !== undefined) return iterate(found);
  const length = callSpecial(value, "__len__", []);
  if (typeof length !== "number") throw raise("TypeError", `'${typeName(value)}' object is not reversible`);
  let i = length;
  return makeIterator("reversed", () => (i > 0 ? (callSpecial(value, "__getitem__", [--i]) ?? null) : undefined));
}

function productOf(a: Int, b: Int): Int {
  const product = BigInt(a) * BigInt(b);
  return Number.isSafeInteger(Number(product)) ? Number(product) : product;
}

function negate(value: Int): Int {
  return typeof value === "number" ? 0 - value : -value;
}

/** `len(value)` */
export function lengthOf(value: Value): Int {
  if (typeof value === "string") return isPlainText(value) ? value.length : Array.from(value).length;
  if (typeof value === "object" && value !== null) {
    switch (value.kind) {
      case "list":
      case "tuple":
      case "deque":
        return value.items.length;
      case "dict":
        return value.entries.size;
      case "view":
        return value.dict.entries.size;
      case "set":
        return value.table.used;
      case "range":
        return rangeLength(value);
      default:
    }
  }
  const length = callSpecial(value, "__len__", []);
  if (typeof length === "number") {
    if (length < 0) throw raise("ValueError", "__len__() should return >= 0");
    return length;
  }
  throw raise("TypeError", `object of type '${typeName(value)}' has no len()`);
}
