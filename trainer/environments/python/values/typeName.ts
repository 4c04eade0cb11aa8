import type { Value } from "./value.ts";

/** What Python calls the type of a value. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case "string":
      return "str";
    case "number":
    case "bigint":
      return "int";
    case "boolean":
      return "bool";
    default:
      return value === null ? "NoneType" : thingName(value);
  }
}

function thingName(value: Exclude<Value, string | number | bigint | boolean | null>): string {
  switch (value.kind) {
    case "set":
      return value.isFrozen ? "frozenset" : "set";
    case "dict":
      return value.flavour === "dict" ? "dict" : value.flavour;
    case "tuple":
      return value.names?.title ?? "tuple";
    case "builtin":
      return "builtin_function_or_method";
    case "method":
      return typeof value.callee === "object" && value.callee?.kind === "builtin"
        ? "builtin_function_or_method"
        : "method";
    case "iterator":
    case "view":
      return value.title;
    case "instance":
      return value.type.name;
    case "fraction":
      return "Fraction";
    case "notImplemented":
      return "NotImplementedType";
    default:
      return value.kind;
  }
}
