import { exceptionType, exceptionTypes, raise } from "../values/errors.ts";
import { addInts } from "../values/integers.ts";
import { iterate, makeIterator, reverse, toItems } from "../values/iterate.ts";
import { makeDict, putItem } from "../values/dicts.ts";
import { callValue, charge } from "../values/meter.ts";
import { truthOf } from "../values/truth.ts";
import { typeName } from "../values/typeName.ts";
import { typeOf, types } from "../values/types.ts";
import { ellipsis, notImplemented, toTuple, type Keywords, type Type, type Value } from "../values/value.ts";
import {
  constructBool,
  constructComplex,
  constructDict,
  constructFloat,
  constructFraction,
  constructFrozenset,
  constructInt,
  constructList,
  constructRange,
  constructSet,
  constructSlice,
  constructStr,
  constructTuple,
} from "./construct.ts";
import { defineMethod, one, type Body, type Signature } from "./define.ts";
import { counterMethods, dictMethods } from "./dictMethods.ts";
import { functions } from "./functions.ts";
import { dequeMethods, listMethods, rangeMethods, toMembers, tupleMethods } from "./listMethods.ts";
import { floatMethods, fractionMethods, intMethods } from "./numberMethods.ts";
import { frozensetMethods, setMethods } from "./setMethods.ts";
import { stringMethods } from "./stringMethods.ts";

type Construct = NonNullable<Type["construct"]>;

/** Everything a program can name without an import. */
export function makeBuiltins(): ReadonlyMap<string, Value> {
  return builtins;
}

const constructors: readonly (readonly [Type, Construct])[] = [
  [types.object, () => ({ kind: "instance", type: types.object, members: new Map(), args: [] })],
  [types.int, constructInt],
  [types.bool, constructBool],
  [types.float, constructFloat],
  [types.complex, constructComplex],
  [types.str, constructStr],
  [types.list, constructList],
  [types.tuple, constructTuple],
  [types.dict, constructDict],
  [types.set, constructSet],
  [types.frozenset, constructFrozenset],
  [types.range, constructRange],
  [types.slice, constructSlice],
  [types.Fraction, constructFraction],
  [types.type, ([value = null]) => typeOf(value)],
  [types.property, ([getter = null]) => ({ kind: "property", getter })],
  [types.staticmethod, ([getter = null]) => ({ kind: "staticmethod", getter })],
  [types.classmethod, ([getter = null]) => ({ kind: "classmethod", getter })],
  [types.enumerate, enumerate],
  [types.zip, zip],
  [types.map, mapValues],
  [
    types.filter,
    (args) => {
      const [test, values] = args;
      if (test !== undefined && values !== undefined && args.length === 2) return filterValues(test, values);
      throw raise("TypeError", `filter expected 2 arguments, got ${args.length}`);
    },
  ],
  [types.reversed, ([value = null]) => reverse(value)],
];

const methods: readonly (readonly [Type, string, Readonly<Record<string, readonly [Signature, Body]>>])[] = [
  [types.int, "int", intMethods],
  [types.float, "float", floatMethods],
  [types.Fraction, "Fraction", fractionMethods],
  [types.str, "str", stringMethods],
  [types.list, "list", listMethods],
  [types.tuple, "tuple", tupleMethods],
  [types.range, "range", rangeMethods],
  [types.dict, "dict", dictMethods],
  [types.set, "set", setMethods],
  [types.frozenset, "frozenset", frozensetMethods],
  [types.Counter, "Counter", counterMethods],
  [types.deque, "deque", dequeMethods],
];

const builtins = install();

function install(): ReadonlyMap<string, Value> {
  for (const [type, construct] of constructors) type.construct = construct;
  for (const [type, name, table] of methods)
    for (const [key, value] of toMembers(name, table)) type.members.set(key, value);
  types.dict.members.set("fromkeys", { kind: "staticmethod", getter: defineFromKeys() });
  types.property.members.set(
    "setter",
    defineMethod("property", "setter", one, ([self = null, setter = null]) =>
      typeof self === "object" && self?.kind === "property" ? { ...self, setter } : null,
    ),
  );
  const base = exceptionType("BaseException");
  base.members.set(
    "with_traceback",
    defineMethod("BaseException", "with_traceback", one, ([self = null]) => self),
  );
  const named = [
    "int",
    "bool",
    "float",
    "complex",
    "str",
    "list",
    "tuple",
    "dict",
    "set",
    "frozenset",
    "range",
    "slice",
    "type",
    "object",
    "property",
    "staticmethod",
    "classmethod",
    "enumerate",
    "zip",
    "map",
    "filter",
    "reversed",
  ] as const;
  return new Map<string, Value>([
    ...functions,
    ...named.map((name) => [name, types[name]] as const),
    ...exceptionTypes,
    ["NotImplemented", notImplemented],
    ["Ellipsis", ellipsis],
    ["__name__", "__main__"],
  ]);
}

function defineFromKeys(): Value {
  const call = ([keys = null, value = null]: readonly Value[]): Value => {
    const dict = makeDict();
    for (const key of toItems(keys)) putItem(dict, key, value);
    return dict;
  };
  return { kind: "builtin", name: "fromkeys", title: "fromkeys", call };
}

function enumerate(args: readonly Value[], keywords: Keywords): Value {
  const values = args[0] ?? keywords.get("iterable");
  if (values === undefined) throw raise("TypeError", "enumerate() missing required argument 'iterable'");
  const start = args[1] ?? keywords.get("start") ?? 0;
  if (typeof start !== "number" && typeof start !== "bigint") {
    throw raise("TypeError", `'${typeName(start)}' object cannot be interpreted as an integer`);
  }
  const iterator = iterate(values);
  let count = start;
  return makeIterator("enumerate", () => {
    const item = iterator.next();
    if (item === undefined) return undefined;
    const pair = toTuple([count, item]);
    count = addInts(count, 1);
    return pair;
  });
}

function zip(args: readonly Value[], keywords: Keywords): Value {
  const iterators = args.map(iterate);
  const isStrict = truthOf(keywords.get("strict") ?? false);
  return makeIterator("zip", () => {
    const items: Value[] = [];
    for (const [i, iterator] of iterators.entries()) {
      const item = iterator.next();
      if (item === undefined) {
        if (isStrict) checkLengths(iterators, i);
        return undefined;
      }
      items.push(item);
    }
    return iterators.length === 0 ? undefined : toTuple(items);
  });
}

function checkLengths(iterators: readonly { next: () => Value | undefined }[], at: number): void {
  const others = (count: number): string => (count === 1 ? "argument 1" : `arguments 1-${count}`);
  if (at > 0) throw raise("ValueError", `zip() argument ${at + 1} is shorter than ${others(at)}`);
  for (const [i, iterator] of iterators.entries()) {
    if (i > 0 && iterator.next() !== undefined) {
      throw raise("ValueError", `zip() argument ${i + 1} is longer than ${others(i)}`);
    }
  }
}

function mapValues([callee = null, ...values]: readonly Value[]): Value {
  if (values.length === 0) throw raise("TypeError", "map() must have at least two arguments.");
  const iterators = values.map(iterate);
  return makeIterator("map", () => {
    const items = iterators.map((iterator) => iterator.next());
    const found = items.filter((item) => item !== undefined);
    return found.length < items.length ? undefined : callValue(callee, found);
  });
}

function filterValues(test: Value, values: Value): Value {
  const iterator = iterate(values);
  return makeIterator("filter", () => {
    for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
      charge(4);
      if (truthOf(test === null ? item : callValue(test, [item]))) return item;
    }
    return undefined;
  });
}
