import { isException, raise } from "./errors.ts";
import { callValue, type Raised } from "./meter.ts";
import { publicNames } from "./publicNames.ts";
import { callSpecial } from "./special.ts";
import { suggest } from "./suggest.ts";
import { toInt } from "./integers.ts";
import { typeName } from "./typeName.ts";
import { typeOf } from "./types.ts";
import { toFloat, toTuple, type Instance, type Iterator, type Thing, type Type, type Value } from "./value.ts";

/** `object.name` */
export function lookUp(object: Value, name: string): Value {
  const found = findAttribute(object, name);
  if (found !== undefined) return found;
  const special = callSpecial(object, "__getattr__", [name]);
  if (special !== undefined) return special;
  throw noAttribute(object, name);
}

export function findAttribute(object: Value, name: string): Value | undefined {
  if (typeof object === "object" && object !== null) {
    const own = findOwn(object, name);
    if (own !== undefined) return own;
  }
  const type = typeOf(object);
  const member = findInType(type, name);
  if (member !== undefined) return bindMember(member, object, type);
  if (name === "__class__") return type;
  return findPart(object, name);
}

/** What a thing has of its own, before its type is asked. */
function findOwn(object: Thing, name: string): Value | undefined {
  switch (object.kind) {
    case "module":
      return object.members.get(name) ?? (name === "__name__" ? object.name : undefined);
    case "instance":
      return findInInstance(object, name);
    case "type":
      return findInClass(object, name);
    case "function":
      if (name === "__name__") return object.name;
      return name === "__qualname__" ? object.title : object.members.get(name);
    case "builtin":
      return name === "__name__" ? object.name : undefined;
    case "super": {
      const above = object.type.ancestors.slice(1).find((type) => type.members.has(name));
      const member = above?.members.get(name);
      return member === undefined ? superInit(name) : bindMember(member, object.self, object.type);
    }
    case "tuple": {
      const index = object.names?.fields.indexOf(name) ?? -1;
      return object.items[index];
    }
    case "iterator":
      return findInGenerator(object, name);
    default:
      return undefined;
  }
}

/** `super().__init__()` of a class without a base of its own does nothing. */
function superInit(name: string): Value | undefined {
  if (name !== "__init__") return undefined;
  return { kind: "builtin", name, title: name, call: () => null };
}

function findInInstance(instance: Instance, name: string): Value | undefined {
  const member = findInType(instance.type, name);
  if (typeof member === "object" && member?.kind === "property") return callValue(member.getter, [instance]);
  const own = instance.members.get(name);
  if (own !== undefined) return own;
  if (name === "args" && isException(instance)) return toTuple(instance.args);
  return undefined;
}

function findInClass(type: Type, name: string): Value | undefined {
  if (name === "__name__" || name === "__qualname__") return type.name;
  const member = findInType(type, name);
  if (typeof member !== "object" || member === null) return member;
  if (member.kind === "classmethod") return { kind: "method", self: type, callee: member.getter };
  return member.kind === "staticmethod" ? member.getter : member;
}

export function findInType(type: Type, name: string): Value | undefined {
  for (const ancestor of type.ancestors) {
    const member = ancestor.members.get(name);
    if (member !== undefined) return member;
  }
  return undefined;
}

/** A function found in a class becomes a method of the instance it was looked up on. */
function bindMember(member: Value, self: Value, type: Type): Value {
  if (typeof member !== "object" || member === null) return member;
  switch (member.kind) {
    case "function":
    case "builtin":
      return { kind: "method", self, callee: member };
    case "classmethod":
      return { kind: "method", self: type, callee: member.getter };
    case "staticmethod":
      return member.getter;
    case "property":
      return callValue(member.getter, [self]);
    default:
      return member;
  }
}

function findInGenerator(iterator: Iterator, name: string): Value | undefined {
  const { send, throw: throwIn, close } = iterator;
  const make = (call: (args: readonly Value[]) => Value): Value => ({ kind: "builtin", name, title: name, call });
  const required = (value: Value | undefined): Value => {
    if (value === undefined) throw raise("StopIteration");
    return value;
  };
  if (name === "__next__") return make(() => required(iterator.next()));
  if (name === "__iter__") return make(() => iterator);
  if (name === "send" && send !== undefined) return make(([value = null]) => required(send(value)));
  if (name === "throw" && throwIn !== undefined) {
    return make(([error = null]) => {
      const made = typeof error === "object" && error?.kind === "type" ? callValue(error, []) : error;
      if (typeof made !== "object" || made?.kind !== "instance") {
        throw raise("TypeError", "exceptions must be classes or instances deriving from BaseException");
      }
      return required(throwIn(made));
    });
  }
  if (name === "close" && close !== undefined) {
    return make(() => {
      close();
      return null;
    });
  }
  return undefined;
}

/** Attributes that are no methods: the parts of numbers, ranges and slices. */
function findPart(object: Value, name: string): Value | undefined {
  if (typeof object === "number" || typeof object === "bigint" || typeof object === "boolean") {
    const number = typeof object === "boolean" ? Number(object) : object;
    const parts: Readonly<Record<string, Value>> = { real: number, numerator: number, imag: 0, denominator: 1 };
    return Object.hasOwn(parts, name) ? parts[name] : undefined;
  }
  if (typeof object !== "object" || object === null) return undefined;
  const parts = partsOf(object);
  return Object.hasOwn(parts, name) ? parts[name] : undefined;
}

function partsOf(object: Thing): Readonly<Record<string, Value>> {
  switch (object.kind) {
    case "float":
      return { real: object, imag: toFloat(0) };
    case "complex":
      return { real: toFloat(object.real), imag: toFloat(object.imaginary) };
    case "fraction":
      return { numerator: toInt(object.numerator), denominator: toInt(object.denominator), real: object, imag: 0 };
    case "range":
    case "slice":
      return { start: object.start, stop: object.stop, step: object.step };
    case "deque":
      return { maxlen: object.maxLength ?? null };
    case "dict":
      return object.flavour === "defaultdict" ? { default_factory: object.factory ?? null } : {};
    default:
      return {};
  }
}

export function noAttribute(object: Value, name: string): Raised {
  const raised = raise("AttributeError", describeLack(object, name));
  raised.exception.suggestion = () => suggest(name, attributeNames(object));
  return raised;
}

function describeLack(object: Value, name: string): string {
  if (typeof object === "object" && object !== null) {
    if (object.kind === "module") return `module '${object.name}' has no attribute '${name}'`;
    if (object.kind === "type") return `type object '${object.name}' has no attribute '${name}'`;
    if (object.kind === "deque") return `'collections.deque' object has no attribute '${name}'`;
  }
  return `'${typeName(object)}' object has no attribute '${name}'`;
}

/** In the order of `dir`, which sorts. */
function attributeNames(object: Value): readonly string[] {
  const kind = typeof object === "object" && object?.kind === "module" ? `module ${object.name}` : undefined;
  const type = typeof object === "object" && object?.kind === "type" ? object : typeOf(object);
  const title = kind ?? type.name;
  const listed = Object.hasOwn(publicNames, title) ? (publicNames[title]?.split(" ") ?? []) : [];
  const own = type.ancestors.flatMap(({ members }) => [...members.keys()]);
  const instance = typeof object === "object" && object?.kind === "instance" ? [...object.members.keys()] : [];
  const inherited = isExceptionType(type) ? (publicNames.Exception?.split(" ") ?? []) : [];
  return [...new Set([...listed, ...(kind === undefined ? own : []), ...instance, ...inherited])].sort();
}

function isExceptionType(type: Type): boolean {
  return type.ancestors.some(({ name }) => name === "BaseException");
}

/** `object.name = value` */
export function storeAttribute(object: Value, name: string, value: Value): void {
  if (typeof object === "object" && object !== null) {
    if (object.kind === "instance") {
      storeInInstance(object, name, value);
      return;
    }
    if (object.kind === "function" || (object.kind === "type" && object.construct === undefined)) {
      object.members.set(name, value);
      return;
    }
    if (object.kind === "type") {
      throw raise("TypeError", `cannot set '${name}' attribute of immutable type '${object.name}'`);
    }
  }
  if (findAttribute(object, name) === undefined) throw noAttribute(object, name);
  throw raise("AttributeError", `'${typeName(object)}' object attribute '${name}' is read-only`);
}

function storeInInstance(instance: Instance, name: string, value: Value): void {
  const member = findInType(instance.type, name);
  if (typeof member === "object" && member?.kind === "property") {
    if (member.setter === undefined) {
      throw raise("AttributeError", `property '${name}' of '${instance.type.name}' object has no setter`);
    }
    callValue(member.setter, [instance, value]);
    return;
  }
  if (name === "args" && isException(instance) && typeof value === "object" && value?.kind === "tuple") {
    instance.args = value.items;
    return;
  }
  instance.members.set(name, value);
}

export function deleteAttribute(object: Value, name: string): void {
  const members =
    typeof object === "object" && object !== null && (object.kind === "instance" || object.kind === "function")
      ? object.members
      : undefined;
  if (members?.delete(name) !== true) throw noAttribute(object, name);
}
