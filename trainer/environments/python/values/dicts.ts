import { raise } from "./errors.ts";
import { keyOf } from "./hash.ts";
import { allocate, callValue } from "./meter.ts";
import { iterate, toItems } from "./iterate.ts";
import { typeName } from "./typeName.ts";
import { isKind, type Dict, type Value } from "./value.ts";

export function makeDict(flavour: Dict["flavour"] = "dict"): Dict {
  return { kind: "dict", entries: new Map(), flavour };
}

export function putItem(dict: Dict, key: Value, value: Value): void {
  const place = keyOf(key);
  const entry = dict.entries.get(place);
  if (entry !== undefined) {
    entry.value = value;
    return;
  }
  dict.entries.set(place, { key, value });
  if (dict.entries.size % 256 === 0) allocate(dict.entries.size);
}

export function findItem(dict: Dict, key: Value): Value | undefined {
  return dict.entries.get(keyOf(key))?.value;
}

/** `dict[key]`, which a Counter and a defaultdict always have an answer to. */
export function requireItem(dict: Dict, key: Value): Value {
  const found = findItem(dict, key);
  if (found !== undefined) return found;
  if (dict.flavour === "Counter") return 0;
  if (dict.flavour === "defaultdict" && dict.factory !== undefined && dict.factory !== null) {
    const value = callValue(dict.factory, []);
    putItem(dict, key, value);
    return value;
  }
  throw raise("KeyError", key);
}

export function deleteItem(dict: Dict, key: Value): void {
  if (!dict.entries.delete(keyOf(key))) throw raise("KeyError", key);
}

export function copyDict(dict: Dict): Dict {
  allocate(dict.entries.size);
  const entries = new Map(Array.from(dict.entries, ([key, entry]) => [key, { ...entry }] as const));
  return { ...dict, entries };
}

/** Adds what another dictionary, or an iterable of pairs, has. */
export function mergeInto(dict: Dict, other: Value): void {
  if (isKind(other, "dict")) {
    allocate(other.entries.size);
    for (const { key, value } of other.entries.values()) putItem(dict, key, value);
    return;
  }
  const pairs = iterate(other);
  for (let [i, pair] = [0, pairs.next()]; pair !== undefined; i++, pair = pairs.next()) {
    const [key, value] = readPair(pair, i);
    putItem(dict, key, value);
  }
}

function readPair(pair: Value, index: number): [Value, Value] {
  const isIterable = typeof pair === "string" || (typeof pair === "object" && pair !== null && pair.kind !== "float");
  if (!isIterable) {
    throw raise("TypeError", `cannot convert dictionary update sequence element #${index} to a sequence`);
  }
  const items = toItems(pair);
  const [key, value] = items;
  if (items.length === 2 && key !== undefined && value !== undefined) return [key, value];
  throw raise("ValueError", `dictionary update sequence element #${index} has length ${items.length}; 2 is required`);
}

export function requireMapping(value: Value): Dict {
  if (isKind(value, "dict")) return value;
  throw raise("TypeError", `'${typeName(value)}' object is not a mapping`);
}
