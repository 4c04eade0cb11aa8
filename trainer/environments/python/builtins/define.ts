import { raise } from "../values/errors.ts";
import type { Builtin, Keywords, Value } from "../values/value.ts";

/** What a built-in function takes; each way of CPython's complains in its own words. */
export type Signature =
  | { style: "none" }
  | { style: "one" }
  | { style: "positional"; min: number; max: number }
  | { style: "named"; required: number; names: readonly string[]; numPositional: number }
  | { style: "any" };

export const none: Signature = { style: "none" };
export const one: Signature = { style: "one" };
export const any: Signature = { style: "any" };
export const between = (min: number, max: number): Signature => ({ style: "positional", min, max });
/** Arguments with names, the first ones required, the first `numPositional` allowed without their names. */
export const named = (required: number, names: string, numPositional = Infinity): Signature => ({
  style: "named",
  required,
  names: names.split(" "),
  numPositional,
});

/** Absent arguments are undefined; keywords are for bodies that take any. */
export type Body = (args: readonly (Value | undefined)[], keywords: Keywords) => Value;

export function define(name: string, signature: Signature, body: Body): Builtin {
  return {
    kind: "builtin",
    name,
    title: name,
    call: (args, keywords) => body(arrange(name, signature, { args, keywords }), keywords),
  };
}

/** A method: its first argument is the value it was looked up on, and does not count. */
export function defineMethod(type: string, name: string, signature: Signature, body: Body): Builtin {
  const title = `${type}.${name}`;
  return {
    kind: "builtin",
    name,
    title,
    call: ([self, ...args], keywords) => {
      if (self === undefined) throw raise("TypeError", `unbound method ${title}() needs an argument`);
      const shown = signature.style === "positional" || signature.style === "named" ? name : title;
      return body([self, ...arrange(shown, signature, { args, keywords, title })], keywords);
    },
  };
}

type Given = { args: readonly Value[]; keywords: Keywords; title?: string };

function arrange(name: string, signature: Signature, given: Given): readonly (Value | undefined)[] {
  const { args, keywords, title = name } = given;
  if (signature.style === "any") return args;
  if (signature.style === "named") return arrangeNamed(name, signature, given);
  if (keywords.size > 0) throw raise("TypeError", `${title}() takes no keyword arguments`);
  const complaint = complainOf(name, signature, args.length);
  if (complaint !== undefined) throw raise("TypeError", complaint);
  return args;
}

function complainOf(name: string, signature: Signature, count: number): string | undefined {
  switch (signature.style) {
    case "none":
      return count === 0 ? undefined : `${name}() takes no arguments (${count} given)`;
    case "one":
      return count === 1 ? undefined : `${name}() takes exactly one argument (${count} given)`;
    case "positional": {
      const { min, max } = signature;
      if (count >= min && count <= max) return undefined;
      const bound = count < min ? min : max;
      const word = min === max ? "" : count < min ? "at least " : "at most ";
      return `${name} expected ${word}${bound} argument${bound === 1 ? "" : "s"}, got ${count}`;
    }
    default:
      return undefined;
  }
}

function arrangeNamed(
  name: string,
  { required, names, numPositional }: Extract<Signature, { style: "named" }>,
  { args, keywords }: Given,
): readonly (Value | undefined)[] {
  const given = args.length + keywords.size;
  const most = Math.min(numPositional, names.length);
  if (given > names.length || args.length > most)
    throw tooMany(name, { given, most, required, names, numKeywords: keywords.size });
  const values: (Value | undefined)[] = [...args];
  values.length = names.length;
  for (const [keyword, value] of keywords) {
    const index = names.indexOf(keyword);
    if (index === -1) throw raise("TypeError", `'${keyword}' is an invalid keyword argument for ${name}()`);
    if (values[index] !== undefined) {
      throw raise("TypeError", `argument for ${name}() given by name ('${keyword}') and position (${index + 1})`);
    }
    values[index] = value;
  }
  const missing = values.findIndex((value, i) => i < required && value === undefined);
  if (missing !== -1) {
    throw raise("TypeError", `${name}() missing required argument '${names[missing] ?? ""}' (pos ${missing + 1})`);
  }
  return values;
}

type Excess = { given: number; most: number; required: number; names: readonly string[]; numKeywords: number };

function tooMany(name: string, { given, most, required, names, numKeywords }: Excess) {
  const isPositional = numKeywords === 0 || most < names.length;
  const word = most === required && most === names.length ? "exactly" : "at most";
  const kind = most < names.length ? "positional " : numKeywords > 0 && !isPositional ? "" : "";
  const count = most < names.length ? given - numKeywords : given;
  return raise("TypeError", `${name}() takes ${word} ${most} ${kind}argument${most === 1 ? "" : "s"} (${count} given)`);
}
