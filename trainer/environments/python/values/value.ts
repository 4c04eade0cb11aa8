/**
 * A value of Python. Whole numbers are JavaScript's where those are exact and bigints beyond; `undefined` is no value.
 * Nothing of the host hangs on a value: attributes are looked up in tables of our own.
 */
export type Value = null | boolean | number | bigint | string | Thing;

export type Thing =
  | Float
  | Complex
  | List
  | Tuple
  | Dict
  | SetValue
  | Range
  | Slice
  | FunctionValue
  | Builtin
  | Method
  | Type
  | Instance
  | Iterator
  | Module
  | FractionValue
  | Deque
  | View
  | Property
  | Super
  | { readonly kind: "ellipsis" }
  | { readonly kind: "notImplemented" };

/** Within the safe integers a number, beyond a bigint; never minus zero. */
export type Int = number | bigint;
export type Float = { readonly kind: "float"; readonly value: number };
export type Complex = { readonly kind: "complex"; readonly real: number; readonly imaginary: number };
export type List = { readonly kind: "list"; items: Value[] };
export type Tuple = { readonly kind: "tuple"; readonly items: readonly Value[]; readonly names?: NamedTuple };
/** What a named tuple knows beyond its items. */
export type NamedTuple = { readonly title: string; readonly fields: readonly string[] };
/** A key as it is compared: equal values of Python have equal keys. */
export type Key = string | number | bigint | boolean | object | symbol | null;
export type Entry = { readonly key: Value; value: Value };
export type Dict = {
  readonly kind: "dict";
  readonly entries: Map<Key, Entry>;
  readonly flavour: "dict" | "Counter" | "defaultdict" | "OrderedDict";
  /** Of a defaultdict. */
  factory?: Value;
};
/** Keys, values or items of a dictionary as they are whenever they are looked at. */
export type View = {
  readonly kind: "view";
  readonly title: "dict_keys" | "dict_values" | "dict_items";
  readonly dict: Dict;
};
export type Hashed = { key: Key; hash: number; high: number };
export type Slot = (Hashed & { value: Value }) | "deleted" | undefined;
/**
 * The table behind Python's sets, slot for slot as in CPython, so that numbers come out in the same order. `hash` is
 * the low 32 bits of a hash as an unsigned number, `high` the rest.
 */
export type PythonSet = {
  slots: Slot[];
  mask: number;
  /** Slots that are or were taken, and those that are. */
  fill: number;
  used: number;
  /** Where the next value is popped from. */
  finger: number;
};
export type SetValue = { readonly kind: "set"; readonly isFrozen: boolean; readonly table: PythonSet };
export type Range = { readonly kind: "range"; readonly start: Int; readonly stop: Int; readonly step: Int };
export type Slice = { readonly kind: "slice"; readonly start: Value; readonly stop: Value; readonly step: Value };
export type Deque = { readonly kind: "deque"; items: Value[]; readonly maxLength: number | undefined };
export type FractionValue = { readonly kind: "fraction"; readonly numerator: bigint; readonly denominator: bigint };
export type Keywords = ReadonlyMap<string, Value>;
export type Builtin = {
  readonly kind: "builtin";
  readonly name: string;
  /** How errors name it: `list.append`. */
  readonly title: string;
  readonly call: (args: readonly Value[], keywords: Keywords) => Value;
};
/** A function with the value it was looked up on. */
export type Method = { readonly kind: "method"; readonly self: Value; readonly callee: Value };
export type Property = {
  readonly kind: "property" | "staticmethod" | "classmethod";
  readonly getter: Value;
  readonly setter?: Value;
};
export type Super = { readonly kind: "super"; readonly type: Type; readonly self: Value };
export type Module = { readonly kind: "module"; readonly name: string; readonly members: ReadonlyMap<string, Value> };
export type Cell = { value: Value | undefined };
/** What the compiler made of a body; the machine knows what it holds. */
export type Body = { readonly kind: "code" };
export type FunctionValue = {
  readonly kind: "function";
  readonly name: string;
  readonly title: string;
  readonly code: Body;
  readonly defaults: readonly Value[];
  readonly keywordDefaults: ReadonlyMap<string, Value>;
  readonly cells: readonly Cell[];
  readonly members: Map<string, Value>;
};
export type Iterator = {
  readonly kind: "iterator";
  readonly title: string;
  /** Undefined at the end, and from then on. */
  readonly next: () => Value | undefined;
  /** Of generators. */
  readonly send?: (value: Value) => Value | undefined;
  readonly throw?: (error: Instance) => Value | undefined;
  readonly close?: () => void;
};
export type Type = {
  readonly kind: "type";
  readonly name: string;
  readonly base: Type | undefined;
  /** From the type itself up to `object`. */
  readonly ancestors: readonly Type[];
  readonly members: Map<string, Value>;
  /** Of types that are built in. */
  construct?: (args: readonly Value[], keywords: Keywords) => Value;
};
/** Of a class written in the program, or an exception. */
export type Instance = {
  readonly kind: "instance";
  readonly type: Type;
  readonly members: Map<string, Value>;
  /** Of exceptions: what it was raised with. */
  args: readonly Value[];
  /** Of a NameError or AttributeError: the name looked for, and where else it might have been. */
  suggestion?: () => string | undefined;
};

export const ellipsis = { kind: "ellipsis" } as const;
export const notImplemented = { kind: "notImplemented" } as const;
export const noKeywords: Keywords = new Map();

export const toFloat = (value: number): Float => ({ kind: "float", value });
export const toList = (items: Value[]): List => ({ kind: "list", items });
export const toTuple = (items: readonly Value[]): Tuple => ({ kind: "tuple", items });

/** The first value there is. Python's None is one, so `??` would not do. */
export function either(value: Value | undefined, other: () => Value | undefined): Value | undefined {
  return value === undefined ? other() : value;
}

export function isThing(value: Value): value is Thing {
  return typeof value === "object" && value !== null;
}

export function isKind<Kind extends Thing["kind"]>(value: Value, kind: Kind): value is Extract<Thing, { kind: Kind }> {
  return typeof value === "object" && value !== null && value.kind === kind;
}

/** Booleans are whole numbers too. */
export function isInt(value: Value): value is Int | boolean {
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
}
