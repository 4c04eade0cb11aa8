import type { Op } from "../compile/code.ts";
import { deleteSubscript, extendList, storeSubscript, subscript } from "../values/containers.ts";
import { makeDict, mergeInto, putItem, requireMapping } from "../values/dicts.ts";
import { raise } from "../values/errors.ts";
import { formatValue } from "../values/format.ts";
import { valuesOf } from "../values/hashTable.ts";
import { iterate, toItems } from "../values/iterate.ts";
import { deleteAttribute, lookUp, storeAttribute } from "../values/lookUp.ts";
import { allocate, type Raised } from "../values/meter.ts";
import { addAll, addValue, makeSet } from "../values/sets.ts";
import { findSpecial } from "../values/special.ts";
import { toAscii, toRepr, toText } from "../values/text.ts";
import { typeName } from "../values/typeName.ts";
import { isKind, toList, toTuple, type Value } from "../values/value.ts";
import { pop, popMany, top, type Frame, type Handler } from "./frame.ts";

type Handlers<Name extends Op> = Readonly<Record<Name, Handler>>;

/** Containers, texts and attributes. */
export const objectHandlers: Handlers<
  | "makeTuple"
  | "makeList"
  | "makeSet"
  | "makeDict"
  | "makeSlice"
  | "makeText"
  | "appendList"
  | "addSet"
  | "putDict"
  | "extendList"
  | "updateSet"
  | "updateDict"
  | "mergeKeywords"
  | "listToTuple"
  | "loadAttribute"
  | "storeAttribute"
  | "deleteAttribute"
  | "subscript"
  | "storeSubscript"
  | "deleteSubscript"
  | "unpack"
  | "unpackRest"
  | "format"
> = {
  makeTuple: (_, frame, arg) => frame.stack.push(toTuple(popMany(frame, arg))),
  makeList: (_, frame, arg) => frame.stack.push(toList(popMany(frame, arg))),
  makeSet: (_, frame, arg) => frame.stack.push(makeSet(toTuple(popMany(frame, arg)))),
  makeDict: (_, frame) => frame.stack.push(makeDict()),
  makeSlice: (_, frame) => {
    const [step, stop, start] = [pop(frame), pop(frame), pop(frame)];
    frame.stack.push({ kind: "slice", start, stop, step });
  },
  makeText: (_, frame, arg) => {
    const text = popMany(frame, arg).map(toText).join("");
    allocate(text.length);
    frame.stack.push(text);
  },
  appendList: (_, frame, arg) => {
    const value = pop(frame);
    const list = top(frame, arg);
    if (!isKind(list, "list")) return;
    list.items.push(value);
    if (list.items.length % 1024 === 0) allocate(list.items.length);
  },
  addSet: (_, frame, arg) => {
    const value = pop(frame);
    const set = top(frame, arg);
    if (isKind(set, "set")) addValue(set, value);
  },
  putDict: (_, frame, arg) => {
    const [value, key] = [pop(frame), pop(frame)];
    const dict = top(frame, arg);
    if (isKind(dict, "dict")) putItem(dict, key, value);
  },
  extendList: (_, frame, arg) => {
    const values = pop(frame);
    const list = top(frame);
    if (!isKind(list, "list")) return;
    if (!isIterable(values)) throw notIterable(values, arg === 1 ? calleeName(top(frame, 2)) : undefined);
    extendList(list, values);
  },
  updateSet: (_, frame, arg) => {
    const given = pop(frame);
    // A set of constants has been made over once more by the time it is used.
    const values = arg === 1 && isKind(given, "set") ? makeSet(toTuple(valuesOf(given.table))) : given;
    const set = top(frame);
    if (isKind(set, "set")) addAll(set, values);
  },
  updateDict: (_, frame) => {
    const other = pop(frame);
    const dict = top(frame);
    if (isKind(dict, "dict")) mergeInto(dict, requireMapping(other));
  },
  mergeKeywords: (_, frame) => {
    const other = pop(frame);
    const dict = top(frame);
    if (!isKind(other, "dict")) {
      throw raise(
        "TypeError",
        `${calleeName(top(frame, 3))} argument after ** must be a mapping, not ${typeName(other)}`,
      );
    }
    if (!isKind(dict, "dict")) return;
    for (const { key, value } of other.entries.values()) mergeKeyword(frame, dict, [key, value]);
  },
  listToTuple: (_, frame) => {
    const list = pop(frame);
    frame.stack.push(toTuple(isKind(list, "list") ? list.items : []));
  },
  loadAttribute: (_, frame, arg) => frame.stack.push(lookUp(pop(frame), frame.code.names[arg] ?? "")),
  storeAttribute: (_, frame, arg) => {
    const object = pop(frame);
    storeAttribute(object, frame.code.names[arg] ?? "", pop(frame));
  },
  deleteAttribute: (_, frame, arg) => deleteAttribute(pop(frame), frame.code.names[arg] ?? ""),
  subscript: (_, frame) => {
    const index = pop(frame);
    frame.stack.push(subscript(pop(frame), index));
  },
  storeSubscript: (_, frame) => {
    const [index, object] = [pop(frame), pop(frame)];
    storeSubscript(object, index, pop(frame));
  },
  deleteSubscript: (_, frame) => {
    const index = pop(frame);
    deleteSubscript(pop(frame), index);
  },
  unpack: (_, frame, arg) => unpack(frame, pop(frame), arg),
  unpackRest: (_, frame, arg) => unpackRest(frame, pop(frame), { before: arg >> 8, after: arg & 255 }),
  format: (_, frame, arg) => {
    const spec = arg % 2 === 1 ? toText(pop(frame)) : "";
    frame.stack.push(formatValue(convert(pop(frame), arg >> 1), spec));
  },
};

const conversions = [(value: Value) => value, toText, toRepr, toAscii] as const;

function convert(value: Value, conversion: number): Value {
  return conversions[conversion]?.(value) ?? null;
}

function isIterable(value: Value): boolean {
  if (typeof value === "string") return true;
  if (typeof value !== "object" || value === null) return false;
  const isBuiltIn = ["list", "tuple", "range", "iterator", "dict", "set", "deque", "view"].includes(value.kind);
  return isBuiltIn || findSpecial(value, "__iter__") !== undefined || findSpecial(value, "__getitem__") !== undefined;
}

function notIterable(value: Value, callee: string | undefined): Raised {
  const what = callee === undefined ? "Value" : `${callee} argument`;
  return raise("TypeError", `${what} after * must be an iterable, not ${typeName(value)}`);
}

function calleeName(callee: Value): string {
  if (isKind(callee, "function")) return `__main__.${callee.title}()`;
  if (isKind(callee, "builtin")) return `${callee.title}()`;
  return isKind(callee, "type") ? callee.name : `${typeName(callee)} object`;
}

function mergeKeyword(
  frame: Frame,
  dict: Extract<Value, { kind: "dict" }>,
  [key, value]: readonly [Value, Value],
): void {
  if (typeof key !== "string") throw raise("TypeError", "keywords must be strings");
  if (dict.entries.has(key)) {
    throw raise("TypeError", `${calleeName(top(frame, 3))} got multiple values for keyword argument '${key}'`);
  }
  putItem(dict, key, value);
}

function itemsOf(value: Value): ReturnType<typeof iterate> {
  if (!isIterable(value)) throw raise("TypeError", `cannot unpack non-iterable ${typeName(value)} object`);
  return iterate(value);
}

/** The items onto the stack, the first one on top. */
function unpack(frame: Frame, value: Value, count: number): void {
  const isPlain = isKind(value, "tuple") || isKind(value, "list");
  if (isPlain && value.items.length === count) {
    for (let i = count - 1; i >= 0; i--) frame.stack.push(value.items[i] ?? null);
    return;
  }
  const iterator = itemsOf(value);
  const items: Value[] = [];
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    items.push(item);
    if (items.length > count) throw raise("ValueError", `too many values to unpack (expected ${count})`);
  }
  if (items.length < count) {
    throw raise("ValueError", `not enough values to unpack (expected ${count}, got ${items.length})`);
  }
  frame.stack.push(...items.reverse());
}

function unpackRest(frame: Frame, value: Value, { before, after }: { before: number; after: number }): void {
  itemsOf(value);
  const items = toItems(value);
  if (items.length < before + after) {
    throw raise("ValueError", `not enough values to unpack (expected at least ${before + after}, got ${items.length})`);
  }
  const end = items.length - after;
  frame.stack.push(
    ...items.slice(end).reverse(),
    toList(items.slice(before, end)),
    ...items.slice(0, before).reverse(),
  );
}
