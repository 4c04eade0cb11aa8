import { makeType, objectType } from "./errors.ts";
import type { Thing, Type, Value } from "./value.ts";

const root = (name: string): Type => makeType(name, objectType);
const int = root("int");
const dict = root("dict");

/** The built-in types by the name that `type(value).__name__` shows. What they can do is filled in by `builtins`. */
export const types = {
  object: objectType,
  int,
  bool: makeType("bool", int),
  float: root("float"),
  complex: root("complex"),
  str: root("str"),
  list: root("list"),
  tuple: root("tuple"),
  dict,
  set: root("set"),
  frozenset: root("frozenset"),
  range: root("range"),
  slice: root("slice"),
  type: root("type"),
  super: root("super"),
  property: root("property"),
  staticmethod: root("staticmethod"),
  classmethod: root("classmethod"),
  NoneType: root("NoneType"),
  ellipsis: root("ellipsis"),
  NotImplementedType: root("NotImplementedType"),
  function: root("function"),
  method: root("method"),
  builtin_function_or_method: root("builtin_function_or_method"),
  module: root("module"),
  generator: root("generator"),
  dict_keys: root("dict_keys"),
  dict_values: root("dict_values"),
  dict_items: root("dict_items"),
  Fraction: root("Fraction"),
  Counter: makeType("Counter", dict),
  defaultdict: makeType("defaultdict", dict),
  OrderedDict: makeType("OrderedDict", dict),
  deque: root("deque"),
  enumerate: root("enumerate"),
  zip: root("zip"),
  map: root("map"),
  filter: root("filter"),
  reversed: root("reversed"),
} as const;

const iterators = new Map<string, Type>();

/** `type(value)` */
export function typeOf(value: Value): Type {
  switch (typeof value) {
    case "string":
      return types.str;
    case "number":
    case "bigint":
      return types.int;
    case "boolean":
      return types.bool;
    default:
      return value === null ? types.NoneType : typeOfThing(value);
  }
}

function typeOfThing(value: Thing): Type {
  switch (value.kind) {
    case "instance":
      return value.type;
    case "set":
      return value.isFrozen ? types.frozenset : types.set;
    case "dict":
      return types[value.flavour];
    case "builtin":
      return types.builtin_function_or_method;
    case "method":
      return typeof value.callee === "object" && value.callee?.kind === "builtin"
        ? types.builtin_function_or_method
        : types.method;
    case "fraction":
      return types.Fraction;
    case "notImplemented":
      return types.NotImplementedType;
    case "view":
      return types[value.title];
    case "tuple":
      return value.names === undefined ? types.tuple : iteratorType(value.names.title, types.tuple);
    case "iterator":
      return iteratorType(value.title, objectType);
    default:
      return types[value.kind];
  }
}

const known: Readonly<Record<string, Type>> = types;

/** One type for every kind of iterator, made when it is first asked for. */
function iteratorType(title: string, base: Type): Type {
  const type =
    (Object.hasOwn(known, title) ? known[title] : undefined) ?? iterators.get(title) ?? makeType(title, base);
  iterators.set(title, type);
  return type;
}
