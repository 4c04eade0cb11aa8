import type { BinaryOperator } from "../syntax/ast.ts";
import { copyDict, mergeInto } from "./dicts.ts";
import { hashOf } from "./hash.ts";
import { addKey, deleteKey, entriesOf, hasKey, makeSetTable, mergeTable } from "./hashTable.ts";
import { allocate } from "./meter.ts";
import { iterate } from "./iterate.ts";
import { isKind, type Dict, type SetValue, type Value } from "./value.ts";

/** In the order in which CPython would have put them. */
export function makeSet(values: Value, isFrozen = false): SetValue {
  const set: SetValue = { kind: "set", isFrozen, table: makeSetTable() };
  addAll(set, values);
  return set;
}

export function addAll(set: SetValue, values: Value): void {
  if (isKind(values, "set")) {
    allocate(values.table.used);
    mergeTable(set.table, values.table);
    return;
  }
  const iterator = iterate(values);
  for (let value = iterator.next(); value !== undefined; value = iterator.next()) addValue(set, value);
}

export function addValue(set: SetValue, value: Value): void {
  addKey(set.table, hashOf(value), value);
  if (set.table.used % 256 === 0) allocate(set.table.used);
}

export function deleteValue(set: SetValue, value: Value): boolean {
  return deleteKey(set.table, hashOf(value));
}

export function intersect(a: SetValue, b: SetValue): SetValue {
  const [small, large] = b.table.used > a.table.used ? [a, b] : [b, a];
  const result: SetValue = { kind: "set", isFrozen: a.isFrozen, table: makeSetTable() };
  for (const entry of entriesOf(small.table)) {
    if (hasKey(large.table, entry)) addKey(result.table, entry, entry.value);
  }
  return result;
}

export function subtract(a: SetValue, b: SetValue): SetValue {
  if (a.table.used >> 2 > b.table.used) return removeAll(a, b);
  const result: SetValue = { kind: "set", isFrozen: a.isFrozen, table: makeSetTable() };
  for (const entry of entriesOf(a.table)) {
    if (!hasKey(b.table, entry)) addKey(result.table, entry, entry.value);
  }
  return result;
}

/** As CPython does where there is little to take away. */
function removeAll(a: SetValue, b: SetValue): SetValue {
  const result: SetValue = { kind: "set", isFrozen: a.isFrozen, table: makeSetTable() };
  mergeTable(result.table, a.table);
  for (const entry of entriesOf(b.table)) deleteKey(result.table, entry);
  return result;
}

export function unite(a: SetValue, b: Value): SetValue {
  const result: SetValue = { kind: "set", isFrozen: a.isFrozen, table: makeSetTable() };
  mergeTable(result.table, a.table);
  addAll(result, b);
  return result;
}

/** What is in one of them, and not in both. */
export function exclude(a: SetValue, b: SetValue): SetValue {
  const result = unite({ ...b, isFrozen: a.isFrozen }, makeSet({ kind: "tuple", items: [] }));
  for (const entry of entriesOf(a.table)) {
    if (!deleteKey(result.table, entry)) addKey(result.table, entry, entry.value);
  }
  return result;
}

/** Operators of sets, and `|` of dictionaries. */
export function combineSets(operator: BinaryOperator, a: Value, b: Value): Value | undefined {
  if (isKind(a, "dict") && isKind(b, "dict")) return combineDicts(operator, a, b);
  if (isKind(a, "view") || isKind(b, "view")) return combineViews(operator, a, b);
  if (!isKind(a, "set") || !isKind(b, "set")) return undefined;
  switch (operator) {
    case "&":
      return intersect(a, b);
    case "|":
      return unite(a, b);
    case "-":
      return subtract(a, b);
    case "^":
      return exclude(a, b);
    default:
      return undefined;
  }
}

/** Keys and items are sets to operators. */
function combineViews(operator: BinaryOperator, a: Value, b: Value): Value | undefined {
  const isValues = [a, b].some((side) => isKind(side, "view") && side.title === "dict_values");
  return isValues ? undefined : combineSets(operator, makeSet(a), makeSet(b));
}

function combineDicts(operator: BinaryOperator, a: Dict, b: Dict): Value | undefined {
  if (operator !== "|") return undefined;
  const result = copyDict(a);
  mergeInto(result, b);
  return result;
}
