import { raise } from "./errors.ts";
import { callSpecial } from "./special.ts";
import { typeName } from "./typeName.ts";
import type { Thing, Value } from "./value.ts";

export function truthOf(value: Value): boolean {
  switch (typeof value) {
    case "boolean":
      return value;
    case "number":
      return value !== 0;
    case "string":
      return value !== "";
    case "bigint":
      return true;
    default:
      return value !== null && truthOfThing(value);
  }
}

function truthOfThing(value: Thing): boolean {
  switch (value.kind) {
    case "float":
      return value.value !== 0;
    case "complex":
      return value.real !== 0 || value.imaginary !== 0;
    case "fraction":
      return value.numerator !== 0n;
    case "list":
    case "tuple":
    case "deque":
      return value.items.length > 0;
    case "dict":
      return value.entries.size > 0;
    case "view":
      return value.dict.entries.size > 0;
    case "set":
      return value.table.used > 0;
    case "range":
      return value.step > 0 ? value.start < value.stop : value.start > value.stop;
    case "instance":
      return truthOfInstance(value);
    default:
      return true;
  }
}

function truthOfInstance(value: Value): boolean {
  const result = callSpecial(value, "__bool__", []);
  if (result !== undefined) {
    if (typeof result === "boolean") return result;
    throw raise("TypeError", `__bool__ should return bool, returned ${typeName(result)}`);
  }
  const length = callSpecial(value, "__len__", []);
  return length === undefined ? true : truthOf(length);
}
