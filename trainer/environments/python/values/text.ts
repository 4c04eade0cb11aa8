import { exceptionType, guardDepth, isException, isSubtype, raise } from "./errors.ts";
import { floatToText } from "./floats.ts";
import { entriesOf } from "./hashTable.ts";
import { intToText } from "./integers.ts";
import { allocate, charge } from "./meter.ts";
import { toItems } from "./iterate.ts";
import { callSpecial } from "./special.ts";
import { typeName } from "./typeName.ts";
import type { Complex, Dict, Instance, Thing, Tuple, Type, Value } from "./value.ts";

/** `str(value)`: what `print` prints. */
export function toText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return toRepr(value);
  if (value.kind === "fraction") {
    return value.denominator === 1n ? value.numerator.toString() : `${value.numerator}/${value.denominator}`;
  }
  return value.kind === "instance" ? instanceToText(value) : toRepr(value);
}

/** `repr(value)` */
export function toRepr(value: Value): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
    case "bigint":
      return intToText(value);
    case "boolean":
      return value ? "True" : "False";
    default:
      return value === null ? "None" : thingToRepr(value);
  }
}

function instanceToText(value: Instance): string {
  const text = callSpecial(value, "__str__", []);
  if (text !== undefined) return requireText(text, "__str__");
  return isException(value) && callSpecial(value, "__repr__", []) === undefined
    ? exceptionToText(value)
    : instanceToRepr(value);
}

/** The message of an exception: its only argument, or all of them. */
export function exceptionToText({ type, args }: Instance): string {
  if (args.length === 0) return "";
  const [first = null] = args;
  if (args.length > 1) return toRepr({ kind: "tuple", items: args });
  return isSubtype(type, exceptionType("KeyError")) ? toRepr(first) : toText(first);
}

function instanceToRepr(value: Instance): string {
  const text = callSpecial(value, "__repr__", []);
  if (text !== undefined) return requireText(text, "__repr__");
  if (!isException(value)) return `<__main__.${value.type.name} object at ${address}>`;
  return `${value.type.name}(${value.args.map(toRepr).join(", ")})`;
}

function requireText(value: Value, method: string): string {
  if (typeof value === "string") return value;
  throw raise("TypeError", `${method} returned non-string (type ${typeName(value)})`);
}

/** Where CPython would print where a thing lies in memory. */
const address = "0x7f0000000000";
const open = new Set<Thing>();

function thingToRepr(value: Thing): string {
  switch (value.kind) {
    case "list":
      return nest(value, "[...]", () => `[${listItems(value.items)}]`);
    case "tuple":
      return nest(value, "(...)", () => tupleToRepr(value));
    case "dict":
      return nest(value, "{...}", () => dictToRepr(value));
    case "set":
      return setToRepr(value);
    case "view":
      return nest(value, "...", () => `${value.title}([${listItems(toItems(value))}])`);
    case "deque":
      return nest(value, "[...]", () => {
        const limit = value.maxLength === undefined ? "" : `, maxlen=${value.maxLength}`;
        return `deque([${listItems(value.items)}]${limit})`;
      });
    case "float":
      return floatToText(value.value);
    case "complex":
      return complexToText(value);
    case "fraction":
      return `Fraction(${value.numerator}, ${value.denominator})`;
    case "range":
      return `range(${intToText(value.start)}, ${intToText(value.stop)}${value.step === 1 ? "" : `, ${intToText(value.step)}`})`;
    case "slice":
      return `slice(${listItems([value.start, value.stop, value.step])})`;
    case "instance":
      return guardDepth(() => instanceToRepr(value), " while getting the repr of an object");
    default:
      return plainToRepr(value);
  }
}

function plainToRepr(value: Thing): string {
  switch (value.kind) {
    case "ellipsis":
      return "Ellipsis";
    case "notImplemented":
      return "NotImplemented";
    case "type":
      return typeToRepr(value);
    case "module":
      return `<module '${value.name}' (built-in)>`;
    case "function":
      return `<function ${value.title} at ${address}>`;
    case "builtin":
      return value.title.includes(".")
        ? `<method '${value.name}' of '${value.title.split(".")[0]}' objects>`
        : `<built-in function ${value.name}>`;
    case "method":
      return methodToRepr(value);
    default:
      return `<${typeName(value)} object at ${address}>`;
  }
}

function typeToRepr(type: Type): string {
  const isOwn = !type.members.has("__main__");
  return `<class '${isOwn ? "" : "__main__."}${type.name}'>`;
}

function methodToRepr({ self, callee }: Extract<Thing, { kind: "method" }>): string {
  const isBuiltin = typeof callee === "object" && callee?.kind === "builtin";
  if (isBuiltin) return `<built-in method ${callee.name} of ${typeName(self)} object at ${address}>`;
  const title = typeof callee === "object" && callee?.kind === "function" ? callee.title : "?";
  return `<bound method ${title} of ${toRepr(self)}>`;
}

function listItems(items: readonly Value[]): string {
  charge(items.length);
  const text = items.map(toRepr).join(", ");
  allocate(text.length);
  return text;
}

/** A container inside itself is printed as dots. */
function nest(value: Thing, dots: string, body: () => string): string {
  if (open.has(value)) return dots;
  open.add(value);
  try {
    return guardDepth(body, " while getting the repr of an object");
  } finally {
    open.delete(value);
  }
}

function tupleToRepr({ items, names }: Tuple): string {
  if (names !== undefined) {
    return `${names.title}(${items.map((item, i) => `${names.fields[i] ?? ""}=${toRepr(item)}`).join(", ")})`;
  }
  return items.length === 1 ? `(${listItems(items)},)` : `(${listItems(items)})`;
}

function dictToRepr(dict: Dict): string {
  charge(dict.entries.size);
  const entries = Array.from(dict.entries.values());
  const pairs = (dict.flavour === "Counter" ? sortByCount(entries) : entries).map(
    ({ key, value }) => `${toRepr(key)}: ${toRepr(value)}`,
  );
  const text = `{${pairs.join(", ")}}`;
  allocate(text.length);
  switch (dict.flavour) {
    case "dict":
      return text;
    case "Counter":
      return pairs.length === 0 ? "Counter()" : `Counter(${text})`;
    case "defaultdict":
      return `defaultdict(${toRepr(dict.factory ?? null)}, ${text})`;
    case "OrderedDict":
      return pairs.length === 0
        ? "OrderedDict()"
        : `OrderedDict([${entries.map(({ key, value }) => `(${toRepr(key)}, ${toRepr(value)})`).join(", ")}])`;
  }
}

type Entries = readonly { key: Value; value: Value }[];

/** The most frequent first, as a Counter prints itself. */
export function sortByCount(entries: Entries): Entries {
  return entries.toSorted((a, b) => Number(b.value) - Number(a.value));
}

function setToRepr({ isFrozen, table }: Extract<Thing, { kind: "set" }>): string {
  const items = listItems(entriesOf(table).map(({ value }) => value));
  if (isFrozen) return items === "" ? "frozenset()" : `frozenset({${items}})`;
  return items === "" ? "set()" : `{${items}}`;
}

function complexToText({ real, imaginary }: Complex): string {
  const part = (value: number): string => floatToText(value).replace(/\.0$/, "");
  if (real === 0 && !Object.is(real, -0)) return `${part(imaginary)}j`;
  const sign = imaginary < 0 || Object.is(imaginary, -0) ? "" : "+";
  return `(${part(real)}${sign}${part(imaginary)}j)`;
}

const named: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const unprintable = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  if (/^[\x20-\x26\x28-\x5b\x5d-\x7e]*$/.test(text)) return mark + text + mark;
  return mark + Array.from(text, (c) => (c === mark ? `\\${c}` : escapeCharacter(c))).join("") + mark;
}

function escapeCharacter(c: string): string {
  const name = named[c];
  if (name !== undefined) return name;
  return unprintable.test(c) ? escapeCode(c) : c;
}

function escapeCode(c: string): string {
  const code = c.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** `ascii(value)` */
export function toAscii(value: Value): string {
  return Array.from(toRepr(value), (c) => (c < "\u0080" ? c : escapeCode(c))).join("");
}
