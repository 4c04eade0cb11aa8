import { isSubset } from "../values/compare.ts";
import { raise } from "../values/errors.ts";
import { makeSetTable, popKey } from "../values/hashTable.ts";
import { addAll, addValue, deleteValue, exclude, intersect, makeSet, subtract, unite } from "../values/sets.ts";
import { typeName } from "../values/typeName.ts";
import { isKind, type SetValue, type Value } from "../values/value.ts";
import { any, none, one, type Body, type Signature } from "./define.ts";

function setOf(value: Value | undefined): SetValue {
  if (value !== undefined && isKind(value, "set")) return value;
  throw raise("TypeError", `descriptor requires a 'set' object but received a '${typeName(value ?? null)}'`);
}

const toSet = (values: Value): SetValue => (isKind(values, "set") ? values : makeSet(values));
const given = (args: readonly (Value | undefined)[]): Value[] => args.slice(1).filter((arg) => arg !== undefined);

/** Replaces what a set has by what another has. */
function become(set: SetValue, other: SetValue): null {
  Object.assign(set.table, other.table);
  return null;
}

const plain: Readonly<Record<string, readonly [Signature, Body]>> = {
  copy: [none, ([self]) => unite(setOf(self), makeSet({ kind: "tuple", items: [] }))],
  union: [
    any,
    (args) =>
      given(args).reduce<SetValue>(
        (result, other) => unite(result, other),
        unite(setOf(args[0]), makeSet({ kind: "tuple", items: [] })),
      ),
  ],
  intersection: [
    any,
    (args) =>
      given(args).reduce<SetValue>(
        (result, other) => intersect(result, toSet(other)),
        unite(setOf(args[0]), makeSet({ kind: "tuple", items: [] })),
      ),
  ],
  difference: [
    any,
    (args) =>
      given(args).reduce<SetValue>(
        (result, other) => subtract(result, toSet(other)),
        unite(setOf(args[0]), makeSet({ kind: "tuple", items: [] })),
      ),
  ],
  symmetric_difference: [one, ([self, other = null]) => exclude(setOf(self), toSet(other))],
  issubset: [one, ([self, other = null]) => isSubset(setOf(self), toSet(other))],
  issuperset: [one, ([self, other = null]) => isSubset(toSet(other), setOf(self))],
  isdisjoint: [one, ([self, other = null]) => intersect(setOf(self), toSet(other)).table.used === 0],
};

export const frozensetMethods = plain;

export const setMethods: Readonly<Record<string, readonly [Signature, Body]>> = {
  ...plain,
  add: [
    one,
    ([self, value = null]) => {
      addValue(setOf(self), value);
      return null;
    },
  ],
  discard: [
    one,
    ([self, value = null]) => {
      deleteValue(setOf(self), value);
      return null;
    },
  ],
  remove: [
    one,
    ([self, value = null]) => {
      if (!deleteValue(setOf(self), value)) throw raise("KeyError", value);
      return null;
    },
  ],
  pop: [
    none,
    ([self]) => {
      const value = popKey(setOf(self).table);
      if (value === undefined) throw raise("KeyError", "pop from an empty set");
      return value;
    },
  ],
  clear: [
    none,
    ([self]) => {
      Object.assign(setOf(self).table, makeSetTable());
      return null;
    },
  ],
  update: [
    any,
    (args) => {
      for (const other of given(args)) addAll(setOf(args[0]), other);
      return null;
    },
  ],
  intersection_update: [
    any,
    (args) =>
      become(
        setOf(args[0]),
        given(args).reduce<SetValue>((result, other) => intersect(result, toSet(other)), setOf(args[0])),
      ),
  ],
  difference_update: [
    any,
    (args) => {
      for (const other of given(args)) become(setOf(args[0]), subtract(setOf(args[0]), toSet(other)));
      return null;
    },
  ],
  symmetric_difference_update: [one, ([self, other = null]) => become(setOf(self), exclude(setOf(self), toSet(other)))],
};
