import type { Rng } from "#trainer/spec/rng.ts";
import { pick } from "../../chance.ts";
import type { ArgumentKind } from "./function.ts";

/** Samples a Python literal as argument: short, but long enough that different functions give different results. */
export function drawArgument(kind: ArgumentKind, rng: Rng): string {
  const number = (): string => String(rng.int(10));
  const word = (): string => pick(wordLiterals, rng);
  const several = (draw: () => string, min: number, max: number): readonly string[] =>
    Array.from({ length: min + rng.int(max - min + 1) }, draw);
  const draws: Readonly<Record<ArgumentKind, () => string>> = {
    number,
    small: () => String(1 + rng.int(4)),
    numbers: () => list(several(number, 2, 4)),
    gaps: () => list(several(() => (rng.int(2) === 0 ? "None" : number()), 2, 3)),
    word,
    words: () => list(several(word, 1, 3)),
    lists: () => list(several(() => list(several(number, 0, 2)), 1, 3)),
    record: () => record(rng, number),
    graph: () => record(rng, () => list(several(word, 0, 2))),
    value: () => pick(["None", "1", "'yes'", "[]", "True"], rng),
    position: () => String(rng.int(3)),
    code: () => pick(["200", "400", "404", "500"], rng),
    version: () => list(several(() => String(rng.int(3)), 3, 3)),
  };
  return draws[kind]();
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

/** All words that a literal, or a value computed from literals, can contain besides numbers and punctuation. */
export const argumentWords = [
  ...wordLiterals,
  ..."None True False 'yes' 'int' 'float' 'str' 'bool' 'list' 'dict' 'NoneType'".split(" "),
];
