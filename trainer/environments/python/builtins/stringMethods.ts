import { raise } from "../values/errors.ts";
import { allocate, charge } from "../values/meter.ts";
import { isPlainText, iterate, toItems } from "../values/iterate.ts";
import { toIndex } from "../values/sequences.ts";
import { truthOf } from "../values/truth.ts";
import { typeName } from "../values/typeName.ts";
import { isKind, toList, toTuple, type Value } from "../values/value.ts";
import { requireCount } from "./arguments.ts";
import { any, between, named, none, one, type Body, type Signature } from "./define.ts";
import { formatTemplate } from "./template.ts";

const textOf = (value: Value | undefined): string => (typeof value === "string" ? value : "");
const whiteSpace = "[\\s\\x1c-\\x1f\\x85]";

export const stringMethods: Readonly<Record<string, readonly [Signature, Body]>> = {
  upper: [none, ([self]) => textOf(self).toUpperCase()],
  lower: [none, ([self]) => textOf(self).toLowerCase()],
  casefold: [none, ([self]) => textOf(self).toLowerCase().replaceAll("ß", "ss")],
  capitalize: [none, ([self]) => textOf(self).charAt(0).toUpperCase() + textOf(self).slice(1).toLowerCase()],
  title: [
    none,
    ([self]) =>
      textOf(self)
        .toLowerCase()
        .replaceAll(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1)),
  ],
  swapcase: [
    none,
    ([self]) => Array.from(textOf(self), (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join(""),
  ],
  strip: [between(0, 1), ([self, characters]) => strip(textOf(self), characters, "strip")],
  lstrip: [between(0, 1), ([self, characters]) => strip(textOf(self), characters, "lstrip")],
  rstrip: [between(0, 1), ([self, characters]) => strip(textOf(self), characters, "rstrip")],
  split: [
    named(0, "sep maxsplit"),
    ([self, separator = null, limit = -1]) => toList(split(textOf(self), separator, requireCount(limit))),
  ],
  rsplit: [
    named(0, "sep maxsplit"),
    ([self, separator = null, limit = -1]) => toList(splitRight(textOf(self), separator, requireCount(limit))),
  ],
  splitlines: [named(0, "keepends"), ([self, keeps = false]) => toList(splitLines(textOf(self), truthOf(keeps)))],
  join: [one, ([self, values = null]) => join(textOf(self), values)],
  replace: [
    between(2, 3),
    ([self, from = null, to = null, limit = -1]) => replace(textOf(self), { from, to, limit: requireCount(limit) }),
  ],
  find: [
    between(1, 3),
    ([self, part, from, to]) => search(textOf(self), { part, from, to, isLast: false, name: "find" }),
  ],
  rfind: [
    between(1, 3),
    ([self, part, from, to]) => search(textOf(self), { part, from, to, isLast: true, name: "rfind" }),
  ],
  index: [
    between(1, 3),
    ([self, part, from, to]) => requireFound(search(textOf(self), { part, from, to, isLast: false, name: "index" })),
  ],
  rindex: [
    between(1, 3),
    ([self, part, from, to]) => requireFound(search(textOf(self), { part, from, to, isLast: true, name: "rindex" })),
  ],
  count: [between(1, 3), ([self, part, from, to]) => count(textOf(self), part, [from, to])],
  startswith: [
    between(1, 3),
    ([self, part = null, from, to]) => affix(textOf(self), part, { from, to, name: "startswith" }),
  ],
  endswith: [
    between(1, 3),
    ([self, part = null, from, to]) => affix(textOf(self), part, { from, to, name: "endswith" }),
  ],
  removeprefix: [
    one,
    ([self, part]) => (textOf(self).startsWith(textOf(part)) ? textOf(self).slice(textOf(part).length) : textOf(self)),
  ],
  removesuffix: [
    one,
    ([self, part]) =>
      textOf(part) !== "" && textOf(self).endsWith(textOf(part))
        ? textOf(self).slice(0, -textOf(part).length)
        : textOf(self),
  ],
  partition: [one, ([self, separator]) => partition(textOf(self), separator, false)],
  rpartition: [one, ([self, separator]) => partition(textOf(self), separator, true)],
  isdigit: [none, ([self]) => /^[\p{Nd}²³¹⁰⁴-⁹₀-₉]+$/u.test(textOf(self))],
  isdecimal: [none, ([self]) => /^\p{Nd}+$/u.test(textOf(self))],
  isnumeric: [none, ([self]) => /^\p{N}+$/u.test(textOf(self))],
  isalpha: [none, ([self]) => /^\p{L}+$/u.test(textOf(self))],
  isalnum: [none, ([self]) => /^[\p{L}\p{N}]+$/u.test(textOf(self))],
  isspace: [none, ([self]) => new RegExp(`^${whiteSpace}+$`, "u").test(textOf(self))],
  isupper: [none, ([self]) => /\p{Lu}/u.test(textOf(self)) && !/\p{Ll}/u.test(textOf(self))],
  islower: [none, ([self]) => /\p{Ll}/u.test(textOf(self)) && !/\p{Lu}/u.test(textOf(self))],
  istitle: [
    none,
    ([self]) => /\p{L}/u.test(textOf(self)) && /^(?:\P{L}*\p{Lu}\p{Ll}*(?!\p{L}))+\P{L}*$/u.test(textOf(self)),
  ],
  isascii: [none, ([self]) => /^\p{ASCII}*$/u.test(textOf(self))],
  isidentifier: [none, ([self]) => /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{M}\p{Nd}\p{Pc}]*$/u.test(textOf(self))],
  isprintable: [none, ([self]) => !/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(textOf(self))],
  zfill: [one, ([self, width]) => zeroFill(textOf(self), requireCount(width))],
  ljust: [between(1, 2), ([self, width, fill]) => justify(textOf(self), { width, fill, name: "ljust" })],
  rjust: [between(1, 2), ([self, width, fill]) => justify(textOf(self), { width, fill, name: "rjust" })],
  center: [between(1, 2), ([self, width, fill]) => justify(textOf(self), { width, fill, name: "center" })],
  expandtabs: [named(0, "tabsize"), ([self, size = 8]) => expandTabs(textOf(self), requireCount(size))],
  format: [
    any,
    ([self, ...args], keywords) =>
      formatTemplate(
        textOf(self),
        args.filter((arg) => arg !== undefined),
        keywords,
      ),
  ],
  translate: [one, ([self, table = null]) => translate(textOf(self), table)],
  encode: [
    any,
    () => {
      throw raise("NotImplementedError", "bytes are not supported");
    },
  ],
};

function strip(text: string, characters: Value | undefined, name: "strip" | "lstrip" | "rstrip"): string {
  if (characters !== undefined && characters !== null && typeof characters !== "string") {
    throw raise("TypeError", `${name} arg must be None or str`);
  }
  const set = new Set(typeof characters === "string" ? Array.from(characters) : undefined);
  const isGone = (c: string): boolean =>
    typeof characters === "string" ? set.has(c) : new RegExp(whiteSpace, "u").test(c);
  const letters = Array.from(text);
  let [start, end] = [0, letters.length];
  if (name !== "rstrip") while (start < end && isGone(letters[start] ?? "")) start++;
  if (name !== "lstrip") while (end > start && isGone(letters[end - 1] ?? "")) end--;
  return letters.slice(start, end).join("");
}

function split(text: string, separator: Value, limit: number): string[] {
  charge(text.length);
  const most = limit < 0 ? Infinity : limit;
  if (separator === null) return splitSpaces(text, most);
  const parts = requireSeparator(separator).parts(text);
  if (parts.length <= most + 1) return parts;
  return [...parts.slice(0, most), parts.slice(most).join(requireSeparator(separator).text)];
}

function requireSeparator(separator: Value): { text: string; parts: (text: string) => string[] } {
  if (typeof separator !== "string") throw raise("TypeError", `must be str or None, not ${typeName(separator)}`);
  if (separator === "") throw raise("ValueError", "empty separator");
  return { text: separator, parts: (text) => text.split(separator) };
}

function splitSpaces(text: string, most: number): string[] {
  const parts: string[] = [];
  const space = new RegExp(`${whiteSpace}+`, "gu");
  let rest = strip(text, undefined, "lstrip");
  while (rest !== "" && parts.length < most) {
    space.lastIndex = 0;
    const gap = space.exec(rest);
    if (gap === null) break;
    parts.push(rest.slice(0, gap.index));
    rest = rest.slice(gap.index + gap[0].length);
  }
  const last = strip(rest, undefined, parts.length < most ? "rstrip" : "lstrip");
  return last === "" ? parts : [...parts, last];
}

function splitRight(text: string, separator: Value, limit: number): string[] {
  const parts = split(text, separator, -1);
  const most = limit < 0 ? Infinity : limit;
  if (parts.length <= most + 1) return parts;
  const last = parts.slice(parts.length - most);
  const head =
    typeof separator === "string" ? parts.slice(0, parts.length - most).join(separator) : headBefore(text, most);
  return most === 0 ? [head] : [head, ...last];
}

/** What is left of a text when so many words are taken off its end. */
function headBefore(text: string, numWords: number): string {
  let head = strip(text, undefined, "rstrip");
  for (let i = 0; i < numWords; i++) {
    head = strip(head.replace(new RegExp(`(?:(?!${whiteSpace})[^])+$`, "u"), ""), undefined, "rstrip");
  }
  return numWords === 0 ? strip(head, undefined, "rstrip") : head;
}

function splitLines(text: string, keeps: boolean): string[] {
  const end = "\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029";
  const lines = text.match(new RegExp(`[^${end}]*(?:\\r\\n|[${end}]|$)`, "gu")) ?? [];
  const whole = lines.at(-1) === "" ? lines.slice(0, -1) : lines;
  return keeps ? [...whole] : whole.map((line) => line.replace(new RegExp(`(?:\\r\\n|[${end}])$`, "u"), ""));
}

function join(separator: string, values: Value): string {
  if (!isIterable(values)) throw raise("TypeError", "can only join an iterable");
  const parts = toItems(values).map((item, i) => {
    if (typeof item === "string") return item;
    throw raise("TypeError", `sequence item ${i}: expected str instance, ${typeName(item)} found`);
  });
  allocate(parts.reduce((sum, part) => sum + part.length + separator.length, 0));
  return parts.join(separator);
}

function isIterable(value: Value): boolean {
  try {
    iterate(value);
    return true;
  } catch {
    return false;
  }
}

function replace(text: string, { from, to, limit }: { from: Value; to: Value; limit: number }): string {
  for (const [i, value] of [from, to].entries()) {
    if (typeof value !== "string")
      throw raise("TypeError", `replace() argument ${i + 1} must be str, not ${typeName(value)}`);
  }
  const [old, replacement] = [textOf(from), textOf(to)];
  const parts = old === "" ? ["", ...Array.from(text), ""] : text.split(old);
  const numReplaced = limit < 0 ? parts.length - 1 : Math.min(limit, parts.length - 1);
  allocate(text.length + numReplaced * replacement.length);
  return parts.reduce(
    (result, part, i) => (i === 0 ? part : result + (i <= numReplaced ? replacement : old) + part),
    "",
  );
}

type Search = {
  part: Value | undefined;
  from: Value | undefined;
  to: Value | undefined;
  isLast: boolean;
  name: string;
};

/** Places in code points, of a slice of the text. */
function search(text: string, { part, from, to, isLast, name }: Search): number {
  if (typeof part !== "string") throw raise("TypeError", `must be str, not ${typeName(part ?? null)}`);
  charge(text.length);
  const { letters, start, stop } = bounds(text, from, to);
  if (start > stop || (part === "" && start > letters.length)) return -1;
  const within = letters.slice(start, stop).join("");
  const at = isLast ? within.lastIndexOf(part) : within.indexOf(part);
  if (at === -1) return -1;
  return start + (isPlainText(within) ? at : Array.from(within.slice(0, at)).length) + (name === "" ? 0 : 0);
}

function bounds(text: string, from: Value | undefined, to: Value | undefined) {
  const letters = isPlainText(text) ? text.split("") : Array.from(text);
  const place = (bound: Value | undefined, absent: number): number => {
    if (bound === undefined || bound === null) return absent;
    const index = toIndex(bound);
    if (index === undefined) {
      throw raise("TypeError", "slice indices must be integers or None or have an __index__ method");
    }
    const at = Number(index);
    return at < 0 ? Math.max(0, at + letters.length) : at;
  };
  return { letters, start: place(from, 0), stop: Math.min(place(to, letters.length), letters.length) };
}

function requireFound(place: number): number {
  if (place === -1) throw raise("ValueError", "substring not found");
  return place;
}

function count(
  text: string,
  part: Value | undefined,
  [from, to]: readonly [Value | undefined, Value | undefined],
): number {
  if (typeof part !== "string") throw raise("TypeError", `must be str, not ${typeName(part ?? null)}`);
  charge(text.length);
  const { letters, start, stop } = bounds(text, from, to);
  if (part === "") return start > stop ? 0 : stop - start + 1;
  return letters.slice(start, stop).join("").split(part).length - 1;
}

type Affix = { from: Value | undefined; to: Value | undefined; name: "startswith" | "endswith" };

function affix(text: string, part: Value, { from, to, name }: Affix): boolean {
  const { letters, start, stop } = bounds(text, from, to);
  const within = letters.slice(start, stop).join("");
  const matches = (value: Value): boolean => {
    if (typeof value !== "string") {
      const where = isKind(part, "tuple")
        ? `tuple for ${name} must only contain str, not`
        : `${name} first arg must be str or a tuple of str, not`;
      throw raise("TypeError", `${where} ${typeName(value)}`);
    }
    return start <= letters.length && (name === "startswith" ? within.startsWith(value) : within.endsWith(value));
  };
  return isKind(part, "tuple") ? part.items.some(matches) : matches(part);
}

function partition(text: string, separator: Value | undefined, isLast: boolean): Value {
  if (typeof separator !== "string") throw raise("TypeError", `must be str, not ${typeName(separator ?? null)}`);
  if (separator === "") throw raise("ValueError", "empty separator");
  const at = isLast ? text.lastIndexOf(separator) : text.indexOf(separator);
  if (at === -1) return toTuple(isLast ? ["", "", text] : [text, "", ""]);
  return toTuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
}

function zeroFill(text: string, width: number): string {
  const missing = width - Array.from(text).length;
  if (missing <= 0) return text;
  allocate(missing);
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  return sign + "0".repeat(missing) + text.slice(sign.length);
}

type Justification = { width: Value | undefined; fill: Value | undefined; name: "ljust" | "rjust" | "center" };

function justify(text: string, { width, fill = " ", name }: Justification): string {
  const size = requireCount(width);
  if (typeof fill !== "string")
    throw raise("TypeError", `The fill character must be a unicode character, not ${typeName(fill)}`);
  if (Array.from(fill).length !== 1) throw raise("TypeError", "The fill character must be exactly one character long");
  const missing = Math.max(0, size - Array.from(text).length);
  allocate(missing);
  if (name === "ljust") return text + fill.repeat(missing);
  if (name === "rjust") return fill.repeat(missing) + text;
  const left = Math.floor(missing / 2) + (missing & size & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

function expandTabs(text: string, size: number): string {
  let [column, expanded] = [0, ""];
  for (const c of text) {
    if (c === "\t") {
      const width = size > 0 ? size - (column % size) : 0;
      expanded += " ".repeat(width);
      column += width;
      continue;
    }
    expanded += c;
    column = c === "\n" || c === "\r" ? 0 : column + 1;
  }
  return expanded;
}

function translate(text: string, table: Value): string {
  if (!isKind(table, "dict")) return text;
  return Array.from(text, (c) => {
    const found = table.entries.get(c.codePointAt(0) ?? 0)?.value;
    if (found === undefined) return c;
    if (found === null) return "";
    return typeof found === "number" ? String.fromCodePoint(found) : textOf(found);
  }).join("");
}
