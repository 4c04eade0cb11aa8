import { raise } from "../values/errors.ts";
import { isSame } from "../values/compare.ts";
import { contains, extendList, findIndex, pushDeque } from "../values/containers.ts";
import { allocate, charge } from "../values/meter.ts";
import { lengthOf, toItems } from "../values/iterate.ts";
import { position } from "../values/sequences.ts";
import { toRepr } from "../values/text.ts";
import { truthOf } from "../values/truth.ts";
import { toIndex } from "../values/sequences.ts";
import { typeName } from "../values/typeName.ts";
import { isKind, toList, type Deque, type List, type Tuple, type Value } from "../values/value.ts";
import { requireCount } from "./arguments.ts";
import { between, defineMethod, named, none, one, type Signature, type Body } from "./define.ts";
import { sortItems } from "./sort.ts";

type Table = Readonly<Record<string, readonly [Signature, Body]>>;

export function toMembers(type: string, table: Table): Map<string, Value> {
  return new Map(
    Object.entries(table).map(([name, [signature, body]]) => [name, defineMethod(type, name, signature, body)]),
  );
}

function listOf(value: Value | undefined): List {
  if (value !== undefined && isKind(value, "list")) return value;
  throw wrongSelf("list", value);
}

function wrongSelf(type: string, value: Value | undefined) {
  return raise("TypeError", `descriptor requires a '${type}' object but received a '${typeName(value ?? null)}'`);
}

export const listMethods: Table = {
  append: [
    one,
    ([self, item = null]) => {
      const { items } = listOf(self);
      items.push(item);
      if (items.length % 1024 === 0) allocate(items.length);
      return null;
    },
  ],
  extend: [
    one,
    ([self, values = null]) => {
      extendList(listOf(self), values);
      return null;
    },
  ],
  insert: [
    between(2, 2),
    ([self, index, item = null]) => {
      const { items } = listOf(self);
      const at = requireCount(index);
      charge(items.length);
      items.splice(at < 0 ? Math.max(0, at + items.length) : at, 0, item);
      return null;
    },
  ],
  pop: [between(0, 1), ([self, index = -1]) => popList(listOf(self), index)],
  remove: [
    one,
    ([self, value = null]) => {
      const { items } = listOf(self);
      const index = findIndex(items, value);
      if (index === -1) throw raise("ValueError", "list.remove(x): x not in list");
      items.splice(index, 1);
      return null;
    },
  ],
  clear: [
    none,
    ([self]) => {
      listOf(self).items = [];
      return null;
    },
  ],
  copy: [
    none,
    ([self]) => {
      const { items } = listOf(self);
      allocate(items.length);
      return toList([...items]);
    },
  ],
  count: [one, ([self, value = null]) => countItems(listOf(self).items, value)],
  index: [
    between(1, 3),
    ([self, value = null, from, to]) => indexOf(listOf(self).items, value, { from, to, kind: "list" }),
  ],
  reverse: [
    none,
    ([self]) => {
      const { items } = listOf(self);
      charge(items.length);
      items.reverse();
      return null;
    },
  ],
  sort: [
    named(0, "key reverse", 0),
    ([self, key, isReversed]) => {
      const list = listOf(self);
      list.items = sortItems(list.items, key, truthOf(isReversed ?? false));
      return null;
    },
  ],
};

function popList(list: List, index: Value): Value {
  if (list.items.length === 0) throw raise("IndexError", "pop from empty list");
  const at = toIndex(index);
  if (at === undefined) throw raise("TypeError", `'${typeName(index)}' object cannot be interpreted as an integer`);
  const place = position(at, list.items.length, "list");
  if (place === -1) throw raise("IndexError", "pop index out of range");
  if (place === list.items.length - 1) return list.items.pop() ?? null;
  charge(list.items.length - place);
  return list.items.splice(place, 1)[0] ?? null;
}

function countItems(items: readonly Value[], value: Value): number {
  charge(items.length);
  return items.filter((item) => isSame(item, value)).length;
}

type Search = { from: Value | undefined; to: Value | undefined; kind: string };

function indexOf(items: readonly Value[], value: Value, { from, to, kind }: Search): number {
  const place = (bound: Value | undefined, absent: number): number => {
    if (bound === undefined) return absent;
    const at = requireCount(bound);
    return at < 0 ? Math.max(0, at + items.length) : at;
  };
  const index = findIndex(items, value, place(from, 0), place(to, items.length));
  if (index !== -1) return index;
  throw raise("ValueError", kind === "tuple" ? "tuple.index(x): x not in tuple" : `${toRepr(value)} is not in ${kind}`);
}

function tupleOf(value: Value | undefined): Tuple {
  if (value !== undefined && isKind(value, "tuple")) return value;
  throw wrongSelf("tuple", value);
}

export const tupleMethods: Table = {
  count: [one, ([self, value = null]) => countItems(tupleOf(self).items, value)],
  index: [
    between(1, 3),
    ([self, value = null, from, to]) => indexOf(tupleOf(self).items, value, { from, to, kind: "tuple" }),
  ],
};

export const rangeMethods: Table = {
  count: [one, ([self = null, value = null]) => (contains(self, value) ? 1 : 0)],
  index: [
    one,
    ([self = null, value = null]) => {
      if (!contains(self, value)) throw raise("ValueError", `${toRepr(value)} is not in range`);
      return findIndex(toItems(self), value);
    },
  ],
};

function dequeOf(value: Value | undefined): Deque {
  if (value !== undefined && isKind(value, "deque")) return value;
  throw wrongSelf("collections.deque", value);
}

function pushLeft(deque: Deque, item: Value): void {
  charge(deque.items.length);
  deque.items.unshift(item);
  if (deque.maxLength !== undefined && deque.items.length > deque.maxLength) deque.items.pop();
}

export const dequeMethods: Table = {
  append: [
    one,
    ([self, item = null]) => {
      pushDeque(dequeOf(self), item);
      return null;
    },
  ],
  appendleft: [
    one,
    ([self, item = null]) => {
      pushLeft(dequeOf(self), item);
      return null;
    },
  ],
  pop: [
    none,
    ([self]) => {
      const item = dequeOf(self).items.pop();
      if (item === undefined) throw raise("IndexError", "pop from an empty deque");
      return item;
    },
  ],
  popleft: [
    none,
    ([self]) => {
      const item = dequeOf(self).items.shift();
      if (item === undefined) throw raise("IndexError", "pop from an empty deque");
      return item;
    },
  ],
  extend: [
    one,
    ([self, values = null]) => {
      for (const item of toItems(values)) pushDeque(dequeOf(self), item);
      return null;
    },
  ],
  extendleft: [
    one,
    ([self, values = null]) => {
      for (const item of toItems(values)) pushLeft(dequeOf(self), item);
      return null;
    },
  ],
  clear: [
    none,
    ([self]) => {
      dequeOf(self).items = [];
      return null;
    },
  ],
  copy: [
    none,
    ([self]) => {
      const deque = dequeOf(self);
      return { ...deque, items: [...deque.items] };
    },
  ],
  count: [one, ([self, value = null]) => countItems(dequeOf(self).items, value)],
  index: [
    between(1, 3),
    ([self, value = null, from, to]) => indexOf(dequeOf(self).items, value, { from, to, kind: "deque" }),
  ],
  remove: [
    one,
    ([self, value = null]) => {
      const { items } = dequeOf(self);
      const index = findIndex(items, value);
      if (index === -1) throw raise("ValueError", "deque.remove(x): x not in deque");
      items.splice(index, 1);
      return null;
    },
  ],
  reverse: [
    none,
    ([self]) => {
      dequeOf(self).items.reverse();
      return null;
    },
  ],
  rotate: [
    between(0, 1),
    ([self, times = 1]) => {
      const deque = dequeOf(self);
      const length = Number(lengthOf(deque));
      if (length === 0) return null;
      const shift = ((requireCount(times) % length) + length) % length;
      deque.items = [...deque.items.slice(length - shift), ...deque.items.slice(0, length - shift)];
      return null;
    },
  ],
};
