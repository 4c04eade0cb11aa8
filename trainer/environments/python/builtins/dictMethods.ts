import { raise } from "../values/errors.ts";
import { copyDict, findItem, makeDict, mergeInto, putItem } from "../values/dicts.ts";
import { keyOf } from "../values/hash.ts";
import { iterate, toItems } from "../values/iterate.ts";
import { allocate } from "../values/meter.ts";
import { sortByCount } from "../values/text.ts";
import { binary } from "../values/operators.ts";
import { typeName } from "../values/typeName.ts";
import { either, isKind, toList, toTuple, type Dict, type Value } from "../values/value.ts";
import { requireCount } from "./arguments.ts";
import { any, between, none, type Body, type Signature } from "./define.ts";

function dictOf(value: Value | undefined): Dict {
  if (value !== undefined && isKind(value, "dict")) return value;
  throw raise("TypeError", `descriptor requires a 'dict' object but received a '${typeName(value ?? null)}'`);
}

export const dictMethods: Readonly<Record<string, readonly [Signature, Body]>> = {
  get: [
    between(1, 2),
    ([self, key = null, absent = null]) => either(findItem(dictOf(self), key), () => absent) ?? null,
  ],
  keys: [none, ([self]) => ({ kind: "view", title: "dict_keys", dict: dictOf(self) })],
  values: [none, ([self]) => ({ kind: "view", title: "dict_values", dict: dictOf(self) })],
  items: [none, ([self]) => ({ kind: "view", title: "dict_items", dict: dictOf(self) })],
  pop: [
    between(1, 2),
    ([self, key = null, absent]) => {
      const dict = dictOf(self);
      const found = either(findItem(dict, key), () => absent);
      if (found === undefined) throw raise("KeyError", key);
      dict.entries.delete(keyOf(key));
      return found;
    },
  ],
  popitem: [
    none,
    ([self]) => {
      const { entries } = dictOf(self);
      const last = [...entries].at(-1);
      if (last === undefined) throw raise("KeyError", "popitem(): dictionary is empty");
      allocate(entries.size);
      entries.delete(last[0]);
      return toTuple([last[1].key, last[1].value]);
    },
  ],
  setdefault: [
    between(1, 2),
    ([self, key = null, absent = null]) => {
      const found = findItem(dictOf(self), key);
      if (found === undefined) putItem(dictOf(self), key, absent);
      return found === undefined ? absent : found;
    },
  ],
  update: [
    any,
    ([self, other], keywords) => {
      if (other !== undefined) mergeInto(dictOf(self), other);
      for (const [name, value] of keywords) putItem(dictOf(self), name, value);
      return null;
    },
  ],
  clear: [
    none,
    ([self]) => {
      dictOf(self).entries.clear();
      return null;
    },
  ],
  copy: [none, ([self]) => copyDict(dictOf(self))],
};

export const counterMethods: Readonly<Record<string, readonly [Signature, Body]>> = {
  most_common: [
    between(0, 1),
    ([self, count]) => {
      const pairs = sortByCount(Array.from(dictOf(self).entries.values())).map(({ key, value }) =>
        toTuple([key, value]),
      );
      return toList(count === undefined || count === null ? pairs : pairs.slice(0, Math.max(0, requireCount(count))));
    },
  ],
  elements: [
    none,
    ([self]) => {
      const items = Array.from(dictOf(self).entries.values()).flatMap(({ key, value }) =>
        Array.from({ length: Math.max(0, Number(value)) }, () => key),
      );
      allocate(items.length);
      return iterate(toList(items));
    },
  ],
  total: [
    none,
    ([self]) => Array.from(dictOf(self).entries.values()).reduce((sum: Value, { value }) => binary("+", sum, value), 0),
  ],
  update: [
    any,
    ([self, other], keywords) => {
      countInto(dictOf(self), other, keywords);
      return null;
    },
  ],
  subtract: [
    any,
    ([self, other = null]) => {
      const counted = makeDict("Counter");
      countInto(counted, other, new Map());
      for (const { key, value } of counted.entries.values()) {
        putItem(dictOf(self), key, binary("-", findItem(dictOf(self), key) ?? 0, value));
      }
      return null;
    },
  ],
};

/** Adds to a counter: counts of a mapping, or one for every item. */
export function countInto(counter: Dict, other: Value | undefined, keywords: ReadonlyMap<string, Value>): void {
  const add = (key: Value, count: Value): void => {
    putItem(counter, key, binary("+", findItem(counter, key) ?? 0, count));
  };
  if (other !== undefined && other !== null) {
    if (isKind(other, "dict")) for (const { key, value } of other.entries.values()) add(key, value);
    else for (const item of toItems(other)) add(item, 1);
  }
  for (const [name, value] of keywords) add(name, value);
}
