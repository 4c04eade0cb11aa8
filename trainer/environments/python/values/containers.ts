import type { BinaryOperator } from "../syntax/ast.ts";
import { isSame, setHas } from "./compare.ts";
import { deleteItem, mergeInto, putItem, requireItem } from "./dicts.ts";
import { raise } from "./errors.ts";
import { keyOf } from "./hash.ts";
import { allocate, charge } from "./meter.ts";
import { iterate, toItems } from "./iterate.ts";
import { itemOf, position, repeatItems, resolveSlice } from "./sequences.ts";
import { addAll, combineSets, intersect, subtract } from "./sets.ts";
import { callSpecial, findSpecial } from "./special.ts";
import { typeName } from "./typeName.ts";
import { truthOf } from "./truth.ts";
import { isInt, isKind, type List, type Slice, type Value } from "./value.ts";

/** `object[index]` */
export function subscript(object: Value, index: Value): Value {
  if (isKind(object, "list") && typeof index === "number") {
    const item = object.items[index < 0 ? index + object.items.length : index];
    if (item === undefined) throw raise("IndexError", "list index out of range");
    return item;
  }
  if (isKind(object, "dict")) return requireItem(object, index);
  const item = itemOf(object, index);
  if (item !== undefined) return item;
  if (isKind(object, "type")) throw raise("TypeError", `type '${object.name}' is not subscriptable`);
  throw raise("TypeError", `'${typeName(object)}' object is not subscriptable`);
}

/** `object[index] = value` */
export function storeSubscript(object: Value, index: Value, value: Value): void {
  if (isKind(object, "list")) {
    if (isKind(index, "slice")) replaceSlice(object, index, value);
    else object.items[requirePlace(object, index, "assignment")] = value;
    return;
  }
  if (isKind(object, "dict")) {
    putItem(object, index, value);
    return;
  }
  if (isKind(object, "deque")) {
    const place = position(index, object.items.length, "deque");
    if (place === -1) throw raise("IndexError", "deque index out of range");
    object.items[place] = value;
    return;
  }
  if (findSpecial(object, "__setitem__") === undefined) {
    throw raise("TypeError", `'${typeName(object)}' object does not support item assignment`);
  }
  callSpecial(object, "__setitem__", [index, value]);
}

function requirePlace(list: List, index: Value, action: "assignment" | "deletion"): number {
  const place = position(index, list.items.length, "list");
  if (place === -1) throw raise("IndexError", "list assignment index out of range");
  if (action === "deletion") charge(list.items.length - place);
  return place;
}

function replaceSlice(list: List, slice: Slice, value: Value): void {
  if (!isIterable(value)) {
    const isExtended = slice.step !== null && slice.step !== 1;
    throw raise("TypeError", isExtended ? "must assign iterable to extended slice" : "can only assign an iterable");
  }
  const items = [...toItems(value)];
  const { start, stop, step, length } = resolveSlice(slice, list.items.length);
  if (step === 1) {
    allocate(list.items.length + items.length);
    list.items = [...list.items.slice(0, start), ...items, ...list.items.slice(Math.max(start, stop))];
    return;
  }
  if (items.length !== length) {
    throw raise("ValueError", `attempt to assign sequence of size ${items.length} to extended slice of size ${length}`);
  }
  for (const [i, item] of items.entries()) list.items[start + i * step] = item;
}

function isIterable(value: Value): boolean {
  if (typeof value === "string") return true;
  if (typeof value !== "object" || value === null) return false;
  const isBuiltIn = ["list", "tuple", "range", "iterator", "dict", "set", "deque", "view"].includes(value.kind);
  return isBuiltIn || findSpecial(value, "__iter__") !== undefined;
}

/** `del object[index]` */
export function deleteSubscript(object: Value, index: Value): void {
  if (isKind(object, "list")) {
    if (isKind(index, "slice")) deleteSlice(object, index);
    else object.items.splice(requirePlace(object, index, "deletion"), 1);
    return;
  }
  if (isKind(object, "dict")) {
    deleteItem(object, index);
    return;
  }
  if (isKind(object, "deque")) {
    const place = position(index, object.items.length, "deque");
    if (place === -1) throw raise("IndexError", "deque index out of range");
    object.items.splice(place, 1);
    return;
  }
  if (findSpecial(object, "__delitem__") === undefined) {
    const verb = typeof object === "string" || isKind(object, "tuple") ? "doesn't" : "does not";
    throw raise("TypeError", `'${typeName(object)}' object ${verb} support item deletion`);
  }
  callSpecial(object, "__delitem__", [index]);
}

function deleteSlice(list: List, slice: Slice): void {
  const { start, step, length } = resolveSlice(slice, list.items.length);
  charge(list.items.length);
  const gone = new Set(Array.from({ length }, (_, i) => start + i * step));
  list.items = list.items.filter((_, i) => !gone.has(i));
}

/** `value in container` */
export function contains(container: Value, value: Value): boolean {
  if (typeof container === "string") return containsText(container, value);
  if (typeof container === "object" && container !== null) {
    switch (container.kind) {
      case "list":
      case "tuple":
      case "deque":
        return findIndex(container.items, value) !== -1;
      case "dict":
        return container.entries.has(keyOf(value));
      case "set":
        return setHas(container, value);
      case "range":
        if (isInt(value)) return inRange(container, value);
        break;
      default:
    }
  }
  const special = callSpecial(container, "__contains__", [value]);
  if (special !== undefined) return truthOf(special);
  if (!isIterable(container) && findSpecial(container, "__getitem__") === undefined) {
    throw raise("TypeError", `argument of type '${typeName(container)}' is not iterable`);
  }
  const items = iterate(container);
  for (let item = items.next(); item !== undefined; item = items.next()) {
    charge(1);
    if (isSame(item, value)) return true;
  }
  return false;
}

function containsText(text: string, value: Value): boolean {
  charge(text.length);
  if (typeof value === "string") return text.includes(value);
  throw raise("TypeError", `'in <string>' requires string as left operand, not ${typeName(value)}`);
}

/** The index of the first equal item, from an index on; −1 where there is none. */
export function findIndex(items: readonly Value[], value: Value, from = 0, to = items.length): number {
  for (let i = from; i < to && i < items.length; i++) {
    if (i % 16 === 0) charge(1);
    if (isSame(items[i] ?? null, value)) return i;
  }
  return -1;
}

function inRange({ start, stop, step }: Extract<Value, { kind: "range" }>, value: number | bigint | boolean): boolean {
  const [at, from, to, by] = [value, start, stop, step].map(BigInt);
  if (at === undefined || from === undefined || to === undefined || by === undefined) return false;
  return (by > 0n ? at >= from && at < to : at <= from && at > to) && (at - from) % by === 0n;
}

/** Assignments with an operator that change a list, set, dictionary or deque in place. */
export function augmentInPlace(operator: BinaryOperator, a: Value, b: Value): Value | undefined {
  if (typeof a !== "object" || a === null) return undefined;
  switch (a.kind) {
    case "list":
      if (operator === "+") {
        extendList(a, b);
        return a;
      }
      if (operator !== "*" || !isInt(b)) return undefined;
      a.items = repeatItems(a.items, Math.max(0, Number(b)));
      return a;
    case "deque":
      if (operator !== "+") return undefined;
      for (const item of toItems(b)) pushDeque(a, item);
      return a;
    case "dict":
      if (operator !== "|" || a.flavour === "Counter") return undefined;
      mergeInto(a, b);
      return a;
    case "set":
      return a.isFrozen || !isKind(b, "set") ? undefined : augmentSet(operator, a, b);
    default:
      return undefined;
  }
}

/** Adds every item of an iterable, which may be the list itself. */
export function extendList(list: List, values: Value): void {
  const items = toItems(values);
  allocate(list.items.length);
  for (const item of items === list.items ? [...items] : items) list.items.push(item);
}

type SetValue = Extract<Value, { kind: "set" }>;

function augmentSet(operator: BinaryOperator, a: SetValue, b: SetValue): Value | undefined {
  const changed =
    operator === "|"
      ? undefined
      : operator === "&"
        ? intersect(a, b)
        : operator === "-"
          ? subtract(a, b)
          : combineSets(operator, a, b);
  if (operator === "|") addAll(a, b);
  else if (changed === undefined || !isKind(changed, "set")) return undefined;
  else Object.assign(a.table, changed.table);
  return a;
}

/** At the right end; what does not fit falls out at the left. */
export function pushDeque(deque: Extract<Value, { kind: "deque" }>, item: Value): void {
  deque.items.push(item);
  if (deque.maxLength !== undefined && deque.items.length > deque.maxLength) deque.items.shift();
}
