import { raise } from "./errors.ts";
import { allocate } from "./meter.ts";
import { callSpecial, findSpecial } from "./special.ts";
import { addInts, multiplyInts } from "./integers.ts";
import { isPlainText, lengthOf, rangeLength, toCharacters } from "./iterate.ts";
import { typeName } from "./typeName.ts";
import { isInt, isKind, toList, toTuple, type Int, type Range, type Slice, type Value } from "./value.ts";

export function concatenate(a: Value, b: Value): Value | undefined {
  if (typeof a === "string" && typeof b === "string") {
    allocate(a.length + b.length);
    return a + b;
  }
  if (isKind(a, "list") && isKind(b, "list")) return toList(joined(a.items, b.items));
  if (isKind(a, "tuple") && isKind(b, "tuple")) return toTuple(joined(a.items, b.items));
  if (isKind(a, "deque") && isKind(b, "deque")) return { ...a, items: joined(a.items, b.items) };
  return undefined;
}

function joined(a: readonly Value[], b: readonly Value[]): Value[] {
  allocate(a.length + b.length);
  return [...a, ...b];
}

const beyondIndex = "cannot fit 'int' into an index-sized integer";
const isBeyondIndex = (value: Int | boolean): boolean =>
  typeof value === "bigint" && BigInt.asIntN(64, value) !== value;

/** A sequence so many times; nothing for less than once. */
export function repeat(sequence: Value, times: Value): Value | undefined {
  if (!isInt(times)) return undefined;
  const isSequence = typeof sequence === "string" || isKind(sequence, "list") || isKind(sequence, "tuple");
  if (isSequence && isBeyondIndex(times)) throw raise("OverflowError", beyondIndex);
  const count = Math.max(0, Number(times));
  if (typeof sequence === "string") {
    allocate(sequence.length * count);
    return sequence === "" ? "" : sequence.repeat(count);
  }
  if (isKind(sequence, "list")) return toList(repeatItems(sequence.items, count));
  return isKind(sequence, "tuple") ? toTuple(repeatItems(sequence.items, count)) : undefined;
}

export function repeatItems(items: readonly Value[], count: number): Value[] {
  allocate(items.length * count);
  if (items.length === 0) return [];
  const [only] = items;
  if (items.length === 1 && only !== undefined) return Array<Value>(count).fill(only);
  return Array.from({ length: count }, () => items).flat();
}

/** An index or a bound of a slice: a whole number, or what can stand for one. */
export function toIndex(value: Value): Int | undefined {
  if (isInt(value)) return typeof value === "boolean" ? Number(value) : value;
  const index = callSpecial(value, "__index__", []);
  return isInt(index ?? null) ? Number(index) : undefined;
}

/** The whole number a value must be, or CPython's complaint. */
export function requireIndex(value: Value): Int {
  const index = toIndex(value);
  if (index === undefined) throw raise("TypeError", `'${typeName(value)}' object cannot be interpreted as an integer`);
  return index;
}

export type Bounds = { start: number; stop: number; step: number; length: number };

/** Where a slice begins and ends in a sequence of so many items. */
export function resolveSlice(slice: Slice, numItems: number): Bounds {
  const step = slice.step === null ? 1 : clamp(slice.step);
  if (step === 0) throw raise("ValueError", "slice step cannot be zero");
  const [low, high] = step > 0 ? [0, numItems] : [-1, numItems - 1];
  const resolve = (value: Value, absent: number): number => {
    if (value === null) return absent;
    const index = clamp(value);
    return Math.min(Math.max(index < 0 ? index + numItems : index, low), high);
  };
  const start = resolve(slice.start, step > 0 ? low : high);
  const stop = resolve(slice.stop, step > 0 ? high : low);
  return { start, stop, step, length: Math.max(0, Math.ceil((stop - start) / step)) };
}

function clamp(value: Value): number {
  const index = toIndex(value);
  if (index === undefined) {
    throw raise("TypeError", "slice indices must be integers or None or have an __index__ method");
  }
  return Math.min(Math.max(Number(index), -Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

export function sliceItems<Item>(items: readonly Item[], slice: Slice): Item[] {
  const { start, stop, step, length } = resolveSlice(slice, items.length);
  allocate(length);
  if (step === 1) return items.slice(start, Math.max(start, stop));
  const picked: Item[] = [];
  for (let [i, n] = [start, 0]; n < length; i += step, n++) {
    const item = items[i];
    if (item !== undefined) picked.push(item);
  }
  return picked;
}

/** `sequence[index]`, or undefined for what is no sequence. */
export function itemOf(sequence: Value, index: Value): Value | undefined {
  if (typeof sequence === "string") return characterOf(sequence, index);
  if (typeof sequence !== "object" || sequence === null) return undefined;
  switch (sequence.kind) {
    case "list":
    case "tuple":
      if (isKind(index, "slice")) {
        const items = sliceItems(sequence.items, index);
        return sequence.kind === "list" ? toList(items) : toTuple(items);
      }
      return pick(sequence.items, index, sequence.kind);
    case "deque":
      return pick(sequence.items, index, "deque");
    case "range":
      return isKind(index, "slice") ? sliceRange(sequence, index) : rangeItem(sequence, index);
    default:
      return findSpecial(sequence, "__getitem__") && callSpecial(sequence, "__getitem__", [index]);
  }
}

function pick(items: readonly Value[], index: Value, kind: "list" | "tuple" | "deque"): Value {
  const found = items[position(index, items.length, kind)];
  if (found !== undefined) return found;
  throw raise("IndexError", kind === "deque" ? "deque index out of range" : `${kind} index out of range`);
}

/** Counted from the start; −1 where there is none. */
export function position(index: Value, length: number, kind: string): number {
  const at = toIndex(index);
  if (at === undefined) {
    const wanted = kind === "deque" ? "sequence index must be integer, not" : undefined;
    throw raise(
      "TypeError",
      wanted === undefined
        ? `${kind} indices must be integers or slices, not ${typeName(index)}`
        : `${wanted} '${typeName(index)}'`,
    );
  }
  if (isBeyondIndex(at)) throw raise("IndexError", beyondIndex);
  const place = Number(at) < 0 ? Number(at) + length : Number(at);
  return place >= 0 && place < length ? place : -1;
}

function characterOf(text: string, index: Value): Value {
  if (isKind(index, "slice")) {
    const isWhole = index.start === null && index.stop === null && index.step === null;
    return isWhole ? text : sliceItems(toCharacters(text), index).join("");
  }
  if (toIndex(index) === undefined) {
    throw raise("TypeError", `string indices must be integers, not '${typeName(index)}'`);
  }
  const characters = isPlainText(text) ? text : Array.from(text);
  const c = characters[position(index, characters.length, "string")];
  if (c === undefined) throw raise("IndexError", "string index out of range");
  return c;
}

function rangeItem(range: Range, index: Value): Value {
  const at = toIndex(index);
  if (at === undefined) {
    throw raise("TypeError", `range indices must be integers or slices, not ${typeName(index)}`);
  }
  const length = rangeLength(range);
  const place = at < 0 ? addInts(at, length) : at;
  if (place < 0 || place >= length) throw raise("IndexError", "range object index out of range");
  return addInts(range.start, multiplyInts(place, range.step));
}

function sliceRange(range: Range, slice: Slice): Value {
  const { start, stop, step } = resolveSlice(slice, Number(lengthOf(range)));
  const at = (i: number): Int => addInts(range.start, multiplyInts(i, range.step));
  return { kind: "range", start: at(start), stop: at(stop), step: multiplyInts(range.step, step) };
}
