import type { Rng } from "#trainer/spec/rng.ts";
import type { ArgumentKind } from "./function.ts";

/**
 * Samples a Python literal as argument of a function under test. The literal is as short as possible, but long enough
 * that different functions give different results.
 */
export function drawArgument(kind: ArgumentKind, rng: Rng): string {
  const number = (): string => String(rng.int(10));
  const word = (): string => pick(wordLiterals, rng);
  const several = (draw: () => string, min: number, max: number): readonly string[] =>
    Array.from({ length: min + rng.int(max - min + 1) }, draw);
  switch (kind) {
    case "number":
      return number();
    case "small":
      return String(1 + rng.int(4));
    case "numbers":
      return list(several(number, 2, 4));
    case "gaps":
      return list(several(() => (rng.int(2) === 0 ? "None" : number()), 2, 3));
    case "word":
      return word();
    case "words":
      return list(several(word, 1, 3));
    case "lists":
      return list(several(() => list(several(number, 0, 2)), 1, 3));
    case "record":
      return record(rng, number);
    case "graph":
      return record(rng, () => list(several(word, 0, 2)));
    case "value":
      return pick(["None", "1", "'yes'", "[]", "True"], rng);
    case "position":
      return String(rng.int(3));
    case "code":
      return pick(["200", "400", "404", "500"], rng);
    case "version":
      return list(several(() => String(rng.int(3)), 3, 3));
  }
}

const keys = ["a", "b", "c"] as const;
const wordLiterals = ["'a'", "'b'", "'c'", "'any'", "'none'"] as const;

function list(items: readonly string[]): string {
  return `[${items.join(", ")}]`;
}

function record(rng: Rng, draw: () => string): string {
  const chosen = keys.filter(() => rng.int(3) > 0);
  return `{${chosen.map((key) => `'${key}': ${draw()}`).join(", ")}}`;
}

export function pick<Item>(items: readonly [Item, ...Item[]], rng: Rng): Item {
  return items[rng.int(items.length)] ?? items[0];
}

/** All words that a literal, or a value computed from literals, can contain besides numbers and punctuation. */
export const argumentWords = [
  ...wordLiterals,
  ..."None True False 'yes' 'int' 'float' 'str' 'bool' 'list' 'dict' 'NoneType'".split(" "),
];
