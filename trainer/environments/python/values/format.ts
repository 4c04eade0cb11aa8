import { raise } from "./errors.ts";
import { floatToText, formatExponent, toDigits, toFixedExact } from "./floats.ts";
import { intToFloat, intToText } from "./integers.ts";
import { allocate } from "./meter.ts";
import { callSpecial } from "./special.ts";
import { fractionToFloat } from "./fractions.ts";
import { toText } from "./text.ts";
import { typeName } from "./typeName.ts";
import { isInt, isKind, isThing, type Int, type Value } from "./value.ts";

/** Python's format specification: `[[fill]align][sign][#][0][width][grouping][.precision][type]`. */
type Spec = {
  fill: string;
  align: string;
  sign: string;
  isAlternate: boolean;
  width: number;
  grouping: string;
  precision: number | undefined;
  type: string;
};

const pattern = /^(?:([^])?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([^])?$/u;

/** `format(value, spec)` */
export function formatValue(value: Value, spec: string): string {
  const special = callSpecial(value, "__format__", [spec]);
  if (typeof special === "string") return special;
  if (spec === "") return toText(value);
  if (typeof value === "string") return formatText(value, parseSpec(spec, value));
  if (isInt(value)) return formatInt(typeof value === "boolean" ? Number(value) : value, parseSpec(spec, value), value);
  if (isKind(value, "float")) return formatFloat(value.value, parseSpec(spec, value));
  if (isKind(value, "fraction")) return formatFraction(value, spec);
  throw raise("TypeError", `unsupported format string passed to ${typeName(value)}.__format__`);
}

function formatFraction(value: Extract<Value, { kind: "fraction" }>, spec: string): string {
  if (/[eEfFgG%]$/.test(spec)) return formatFloat(fractionToFloat(value), parseSpec(spec, value));
  throw raise("TypeError", "unsupported format string passed to Fraction.__format__");
}

function parseSpec(text: string, value: Value): Spec {
  const match = pattern.exec(text);
  if (match === null || match[10] === ".") throw raise("ValueError", explain(text, value));
  const [, fill, align, sign, , alternate, zero, width, grouping, precision, type] = match;
  const isZeroed = zero !== undefined && align === undefined;
  const size = Number(width ?? 0);
  allocate(size);
  allocate(Number(precision ?? 0));
  return {
    fill: fill ?? (zero === undefined ? " " : "0"),
    align: align ?? (isZeroed && typeof value !== "string" ? "=" : ""),
    sign: sign ?? "",
    isAlternate: alternate !== undefined,
    width: size,
    grouping: grouping ?? "",
    precision: precision === undefined ? undefined : Number(precision),
    type: type ?? "",
  };
}

function explain(text: string, value: Value): string {
  if (/\.(?!\d)/.test(text)) return "Format specifier missing precision";
  return `Invalid format specifier${isThing(value) || typeof value !== "object" ? ` '${text}' for object of type '${typeName(value)}'` : ""}`;
}

function unknownCode({ type }: Spec, value: Value) {
  return raise("ValueError", `Unknown format code '${type}' for object of type '${typeName(value)}'`);
}

function formatText(text: string, spec: Spec): string {
  if (spec.type !== "" && spec.type !== "s") throw unknownCode(spec, text);
  if (spec.sign !== "") throw raise("ValueError", "Sign not allowed in string format specifier");
  if (spec.isAlternate) throw raise("ValueError", "Alternate form (#) not allowed in string format specifier");
  if (spec.align === "=") throw raise("ValueError", "'=' alignment not allowed in string format specifier");
  if (spec.grouping !== "") throw raise("ValueError", `Cannot specify '${spec.grouping}' with 's'.`);
  const characters = Array.from(text);
  return pad(characters.slice(0, spec.precision ?? characters.length).join(""), { ...spec, align: spec.align || "<" });
}

const radixes: Readonly<Record<string, { base: number; prefix: string }>> = {
  b: { base: 2, prefix: "0b" },
  o: { base: 8, prefix: "0o" },
  x: { base: 16, prefix: "0x" },
  X: { base: 16, prefix: "0X" },
};

function formatInt(value: Int, spec: Spec, original: Value): string {
  if (spec.type !== "" && "eEfFgG%".includes(spec.type)) return formatFloat(intToFloat(value), spec);
  if (spec.precision !== undefined) throw raise("ValueError", "Precision not allowed in integer format specifier");
  if (spec.type === "c") return formatCharacter(value, spec);
  const radix = radixes[spec.type];
  if (radix === undefined && !["", "d", "n"].includes(spec.type)) throw unknownCode(spec, original);
  if (radix !== undefined && spec.grouping === ",") {
    throw raise("ValueError", `Cannot specify ',' with '${spec.type}'.`);
  }
  const isNegative = value < 0;
  const size = isNegative ? -value : value;
  const digits = radix === undefined ? intToText(size) : size.toString(radix.base);
  const body = spec.type === "X" ? digits.toUpperCase() : digits;
  const prefix = signOf(isNegative, spec) + (radix !== undefined && spec.isAlternate ? radix.prefix : "");
  return padNumber(prefix, body, "", { ...spec, groupSize: radix === undefined ? 3 : 4 });
}

function formatCharacter(value: Int, spec: Spec): string {
  if (value < 0 || value > 0x10ffff) throw raise("OverflowError", "%c arg not in range(0x110000)");
  return pad(String.fromCodePoint(Number(value)), { ...spec, align: spec.align || "<" });
}

function signOf(isNegative: boolean, { sign }: Spec): string {
  if (isNegative) return "-";
  return sign === "+" || sign === " " ? sign : "";
}

function formatFloat(value: number, spec: Spec): string {
  if (spec.type !== "" && !"eEfFgGn%".includes(spec.type)) throw unknownCode(spec, { kind: "float", value });
  const isNegative = value < 0 || Object.is(value, -0);
  const size = Math.abs(value);
  const text = Number.isFinite(size) ? floatBody(size, spec) : floatToText(size) + (spec.type === "%" ? "%" : "");
  const body = "EFG".includes(spec.type || " ") ? text.toUpperCase() : text;
  const split = /[.e%E]/.exec(body)?.index ?? body.length;
  return padNumber(signOf(isNegative, spec), body.slice(0, split), body.slice(split), { ...spec, groupSize: 3 });
}

function floatBody(size: number, { type, precision, isAlternate }: Spec): string {
  switch (type.toLowerCase()) {
    case "f":
      return toFixedExact(size, precision ?? 6) + (isAlternate && precision === 0 ? "." : "");
    case "%":
      return `${toFixedExact(size * 100, precision ?? 6)}%`;
    case "e":
      return toScientific(size, precision ?? 6);
    case "g":
    case "n":
      return toGeneral(size, { numDigits: precision ?? 6, isAlternate, isPoint: false });
    default:
      return precision === undefined
        ? floatToText(size)
        : toGeneral(size, { numDigits: precision, isAlternate, isPoint: true });
  }
}

export function toScientific(size: number, precision: number): string {
  const { digits, exponent } = toDigits(size, precision + 1);
  const fraction = precision === 0 ? "" : `.${digits.slice(1)}`;
  return `${digits.charAt(0)}${fraction}e${formatExponent(exponent)}`;
}

type General = { numDigits: number; isAlternate: boolean; isPoint: boolean };

/** So many digits that mean something, in whichever notation is shorter; zeros at the end are left out. */
export function toGeneral(size: number, { numDigits, isAlternate, isPoint }: General): string {
  const wanted = Math.max(numDigits, 1);
  const { digits, exponent } = toDigits(size, wanted);
  const trim = (text: string): string => (isAlternate ? text : text.replace(/\.?0+$/, ""));
  // Without a type the notation changes one digit earlier, so that there is always one after the point.
  if (exponent < -4 || exponent >= (isPoint ? wanted - 1 : wanted)) {
    const body = wanted === 1 ? digits : trim(`${digits.charAt(0)}.${digits.slice(1)}`);
    return `${body}e${formatExponent(exponent)}`;
  }
  const plain =
    exponent >= 0
      ? `${digits.slice(0, exponent + 1)}${digits.length > exponent + 1 ? `.${digits.slice(exponent + 1)}` : ""}`
      : `0.${"0".repeat(-exponent - 1)}${digits}`;
  const trimmed = plain.includes(".") ? trim(plain) : plain;
  return isPoint && !trimmed.includes(".") ? `${trimmed}.0` : trimmed;
}

function padNumber(sign: string, whole: string, rest: string, spec: Spec & { groupSize: number }): string {
  const { grouping, groupSize, width, align } = spec;
  let digits = whole;
  const isFilledWithin = align === "=" && spec.fill === "0";
  if (isFilledWithin) digits = zeroFill(digits, width - sign.length - rest.length, spec);
  else if (grouping !== "") digits = group(digits, grouping, groupSize);
  const body = digits + rest;
  if (align === "=") return sign + spec.fill.repeat(Math.max(0, width - sign.length - body.length)) + body;
  return pad(sign + body, { ...spec, align: align || ">" });
}

/** Zeros in front until the width is reached, separators between them too. */
function zeroFill(digits: string, width: number, { grouping, groupSize }: Spec & { groupSize: number }): string {
  if (grouping === "") return digits.padStart(width, "0");
  let padded = digits;
  while (group(padded, grouping, groupSize).length < width) padded = `0${padded}`;
  return group(padded, grouping, groupSize);
}

function group(digits: string, separator: string, size: number): string {
  if (separator === "") return digits;
  const first = digits.length % size;
  const groups = first === 0 ? [] : [digits.slice(0, first)];
  for (let i = first; i < digits.length; i += size) groups.push(digits.slice(i, i + size));
  return groups.join(separator);
}

function pad(text: string, { fill, align, width }: Pick<Spec, "fill" | "align" | "width">): string {
  const missing = Math.max(0, width - Array.from(text).length);
  if (align === "<") return text + fill.repeat(missing);
  if (align === "^") {
    const left = Math.floor(missing / 2);
    return fill.repeat(left) + text + fill.repeat(missing - left);
  }
  return fill.repeat(missing) + text;
}
