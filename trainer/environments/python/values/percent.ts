import { requireMapping, requireItem } from "./dicts.ts";
import { raise } from "./errors.ts";
import { floatToText, toFixedExact } from "./floats.ts";
import { toGeneral, toScientific } from "./format.ts";
import { fractionToFloat } from "./fractions.ts";
import { intToFloat, intToText, toInt } from "./integers.ts";
import { allocate } from "./meter.ts";
import { toAscii, toRepr, toText } from "./text.ts";
import { typeName } from "./typeName.ts";
import { isInt, isKind, type Int, type Value } from "./value.ts";

const directive = /%(?:\((.*?)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?([hlL]?)([^]?)/gu;

/** `template % values` */
export function formatPercent(template: string, values: Value): string {
  const args = isKind(values, "tuple") ? [...values.items] : [values];
  let [used, usesMapping] = [0, false];
  const take = (): Value => {
    const arg = args[used++];
    if (arg === undefined) throw raise("TypeError", "not enough arguments for format string");
    return arg;
  };
  const text = template.replaceAll(
    directive,
    (
      whole: string,
      name: string | undefined,
      flags: string,
      width: string | undefined,
      precision: string | undefined,
      _size: string,
      type: string,
      index: number,
    ) => {
      if (type === "") throw raise("ValueError", "incomplete format");
      const hasPoint = whole
        .slice(0, -1)
        .replace(/\(.*?\)/, "")
        .includes(".");
      const size = width === "*" ? Number(requireInt(take())) : Number(width ?? 0);
      const digits = precision === "*" ? Number(requireInt(take())) : precision === undefined ? 0 : Number(precision);
      allocate(Math.abs(size) + digits);
      if (type === "%") return "%";
      if (name !== undefined) usesMapping = true;
      const arg = name === undefined ? take() : requireItem(requireFormatMapping(values), name);
      const body = convert(type, arg, {
        flags,
        precision: hasPoint ? digits : undefined,
        index: index + whole.length - 1,
      });
      return padBody(body, { type, flags, width: size });
    },
  );
  if (!usesMapping && used < args.length && !isKind(values, "dict")) {
    throw raise("TypeError", "not all arguments converted during string formatting");
  }
  return text;
}

function requireFormatMapping(values: Value) {
  if (!isKind(values, "dict")) throw raise("TypeError", "format requires a mapping");
  return requireMapping(values);
}

function requireInt(value: Value): Int {
  if (isInt(value)) return typeof value === "boolean" ? Number(value) : value;
  throw raise("TypeError", "* wants int");
}

type Options = { flags: string; precision: number | undefined; index: number };

function convert(type: string, arg: Value, { flags, precision, index }: Options): string {
  switch (type) {
    case "s":
      return cut(toText(arg), precision);
    case "r":
      return cut(toRepr(arg), precision);
    case "a":
      return cut(toAscii(arg), precision);
    case "d":
    case "i":
    case "u":
      return signed(wholeOf(arg, "d"), flags, (size) => intToText(size).padStart(precision ?? 0, "0"));
    case "x":
    case "X":
    case "o":
      return convertRadix(type, arg, flags);
    case "e":
    case "E":
    case "f":
    case "F":
    case "g":
    case "G":
      return convertFloat(type, arg, { flags, precision, index });
    case "c":
      return convertCharacter(arg);
    default:
      throw raise(
        "ValueError",
        `unsupported format character '${type}' (0x${(type.codePointAt(0) ?? 0).toString(16)}) at index ${index}`,
      );
  }
}

function cut(text: string, precision: number | undefined): string {
  return precision === undefined ? text : Array.from(text).slice(0, precision).join("");
}

function wholeOf(arg: Value, type: string): Int {
  if (isInt(arg)) return typeof arg === "boolean" ? Number(arg) : arg;
  if (type === "d" && isKind(arg, "float") && Number.isFinite(arg.value)) return toInt(BigInt(Math.trunc(arg.value)));
  if (type === "d" && isKind(arg, "fraction")) return toInt(arg.numerator / arg.denominator);
  const wanted = type === "d" ? "a real number is required" : "an integer is required";
  throw raise("TypeError", `%${type} format: ${wanted}, not ${typeName(arg)}`);
}

function signed(value: Int, flags: string, body: (size: Int) => string): string {
  if (value < 0) return `-${body(-value)}`;
  return (flags.includes("+") ? "+" : flags.includes(" ") ? " " : "") + body(value);
}

function convertRadix(type: string, arg: Value, flags: string): string {
  const base = type === "o" ? 8 : 16;
  const prefix = flags.includes("#") ? `0${type}` : "";
  const text = signed(wholeOf(arg, type), flags, (size) => prefix + size.toString(base));
  return type === "X" ? text.toUpperCase() : text;
}

function convertFloat(type: string, arg: Value, { flags, precision }: Options): string {
  const value = isKind(arg, "float")
    ? arg.value
    : isKind(arg, "fraction")
      ? fractionToFloat(arg)
      : isInt(arg)
        ? intToFloat(typeof arg === "boolean" ? Number(arg) : arg)
        : undefined;
  if (value === undefined) throw raise("TypeError", `must be real number, not ${typeName(arg)}`);
  const digits = precision ?? 6;
  const size = Math.abs(value);
  const bodies: Readonly<Record<string, () => string>> = {
    e: () => toScientific(size, digits),
    f: () => toFixedExact(size, digits),
    g: () => toGeneral(size, { numDigits: digits, isAlternate: flags.includes("#"), isPoint: false }),
  };
  const body = Number.isFinite(size) ? (bodies[type.toLowerCase()]?.() ?? "") : floatToText(size);
  const isNegative = value < 0 || Object.is(value, -0);
  const sign = isNegative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  return sign + (type === type.toUpperCase() ? body.toUpperCase() : body);
}

function convertCharacter(arg: Value): string {
  if (typeof arg === "string" && Array.from(arg).length === 1) return arg;
  if (isInt(arg)) {
    const code = Number(arg);
    if (code < 0 || code > 0x10ffff) throw raise("OverflowError", "%c arg not in range(0x110000)");
    return String.fromCodePoint(code);
  }
  throw raise("TypeError", "%c requires int or char");
}

function padBody(body: string, { type, flags, width }: { type: string; flags: string; width: number }): string {
  const size = Math.abs(width);
  if (flags.includes("-") || width < 0) return body.padEnd(size);
  if (!flags.includes("0") || "srac".includes(type)) return body.padStart(size);
  const sign = /^[-+ ]?(?:0[xXo])?/.exec(body)?.[0] ?? "";
  return sign + body.slice(sign.length).padStart(size - sign.length, "0");
}
