import type { BugFamily, HeldOutFamily } from "#trainer/spec/environments/sweGym.ts";
import { indentOf, joinCode, splitCode } from "../language/lexer.ts";
import { linesOf, type ArgumentKind, type LibraryFunction } from "../library/function.ts";
import { closingOf, openingOf } from "./brackets.ts";
import { mutators, type Scope } from "./mutators.ts";

/** A bug: one incorrect line of a function. `lineIndex` counts from the `def` line, which is 0. */
export type Mutation = {
  readonly family: BugFamily | HeldOutFamily;
  readonly lineIndex: number;
  readonly line: string;
};

/** Returns every bug of a family (such as off-by-one errors) that fits in a function. Each bug changes one line. */
export function mutationsOf(source: LibraryFunction, family: Mutation["family"]): readonly Mutation[] {
  const lines = linesOf(source);
  const scope = scopeOf(source);
  return lines.slice(1).flatMap((line, i) => {
    const mutants = mutators[family](splitCode(line), scope).map((words) => indentOf(line) + joinCode(words));
    return [...new Set(mutants)]
      .filter((mutant) => mutant !== line)
      .map((mutant) => ({ family, lineIndex: i + 1, line: mutant }));
  });
}

/** Finds the variables of a function: parameters, and targets of assignments, loops and comprehensions. */
function scopeOf({ parameters, kinds, body }: LibraryFunction): Scope {
  const shapes = new Map(parameters.map((name, i) => [name, shapeOf(kinds[i])]));
  const lines = body.map((line) => ({ words: splitCode(line), depth: indentOf(line).length }));
  const variables = new Set([...parameters, ...lines.flatMap(({ words }) => namesIn(words).map(({ name }) => name))]);
  /** Returns the names of variables that are assigned above the line, or by a loop that contains the line. */
  const knownAbove = (line: number): readonly string[] =>
    lines.slice(0, line).flatMap(({ words, depth }, i) => {
      const isInside = lines.slice(i + 1, line + 1).every((other) => other.depth > depth);
      return namesIn(words).flatMap(({ name, reach }) => {
        return reach === "below" || (reach === "inside" && isInside) ? [name] : [];
      });
    });
  return {
    variables,
    alternatives(words, at) {
      const word = words[at] ?? "";
      const declaredHere = namesIn(words);
      if (!variables.has(word) || declaredHere.some((declared) => declared.at === at)) return [];
      const line = lines.findIndex((other) => other.words.join(" ") === words.join(" "));
      const here = declaredHere.filter(({ from, to }) => from <= at && at < to);
      const known = [...parameters, ...knownAbove(line), ...here.map(({ name }) => name)];
      const shape = shapes.get(word);
      return [...new Set(known)].filter((other) => {
        const otherShape = shapes.get(other);
        return other !== word && (shape === undefined || otherShape === undefined || shape === otherShape);
      });
    },
  };
}

/**
 * A variable that a line of code assigns at word `at`. In that line, words `from` ≤ i < `to` can use it. `reach`
 * states which further lines can use it: the lines below, the lines inside the loop that begins here, or none.
 */
type Declared = { name: string; at: number; from: number; to: number; reach: "below" | "inside" | "line" };

function namesIn(words: readonly string[]): readonly Declared[] {
  return words.flatMap((word, i): readonly Declared[] => {
    if (word === "=" && i === 1) {
      return [{ name: words[0] ?? "", at: 0, from: words.length, to: words.length, reach: "below" }];
    }
    if (word !== "for") return [];
    const isLoop = i === 0;
    const start = isLoop ? words.length : openingOf(words, i);
    const end = isLoop ? words.length : closingOf(words, start);
    return words.slice(i + 1, words.indexOf("in", i)).flatMap((name, k) => {
      return name === "," ? [] : [{ name, at: i + 1 + k, from: start, to: end, reach: isLoop ? "inside" : "line" }];
    });
  });
}

function shapeOf(kind: ArgumentKind | undefined): string {
  return (kind && containers[kind]) ?? "scalar";
}

const containers: Partial<Readonly<Record<ArgumentKind, string>>> = {
  numbers: "list",
  gaps: "list",
  words: "list",
  lists: "list",
  version: "list",
  record: "record",
  graph: "record",
};
