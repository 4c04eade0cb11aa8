import type { BugFamily, HeldOutFamily } from "#trainer/spec/environments/sweGym.ts";
import { indentOf, joinCode, splitCode } from "../language/code.ts";
import { linesOf, type ArgumentKind, type LibraryFunction } from "../library/function.ts";
import { closingOf } from "./brackets.ts";
import { mutators, type Scope } from "./mutators.ts";

/** One line of a function made wrong. `lineIndex` counts from its header, which is 0. */
export type Mutation = {
  readonly family: BugFamily | HeldOutFamily;
  readonly lineIndex: number;
  readonly line: string;
};

/** Every way in which a bug of a family can be put into a function: one line each, different from the original. */
export function mutationsOf(source: LibraryFunction, family: Mutation["family"]): readonly Mutation[] {
  const lines = linesOf(source);
  const scope = scopeOf(source);
  return lines.slice(1, -1).flatMap((line, i) => {
    const mutants = mutators[family](splitCode(line), scope).map((words) => indentOf(line) + joinCode(words));
    return [...new Set(mutants)]
      .filter((mutant) => mutant !== line)
      .map((mutant) => ({ family, lineIndex: i + 1, line: mutant }));
  });
}

/** Names that stand for values: parameters, and what `let`, `const` and arrow functions declare. */
function scopeOf({ parameters, kinds, body }: LibraryFunction): Scope {
  const shapes = new Map(parameters.map((name, i) => [name, shapeOf(kinds[i])]));
  const declared = body.map((line) => declarationsIn(splitCode(line)));
  const variables = new Set([...parameters, ...declared.flatMap((names) => names.map(({ name }) => name))]);
  return {
    variables,
    alternatives(words, at) {
      const [word = "", next] = words.slice(at);
      const own = declarationsIn(words);
      if (!variables.has(word) || next === ":" || own.some(({ at: place }) => place === at)) return [];
      const line = body.findIndex((text) => splitCode(text).join(" ") === words.join(" "));
      const before = declared.slice(0, line).flatMap((names) => names.filter(({ isLocal }) => !isLocal));
      const here = own.filter(({ from }) => from <= at);
      const known = [...parameters, ...before.map(({ name }) => name), ...here.map(({ name }) => name)];
      const shape = shapes.get(word);
      return [...new Set(known)].filter((other) => {
        const otherShape = shapes.get(other);
        return other !== word && (shape === undefined || otherShape === undefined || shape === otherShape);
      });
    },
  };
}

/** `isLocal`: known on this line only; `from`: the first place where it is known. */
type Declaration = { name: string; at: number; from: number; isLocal: boolean };

function declarationsIn(words: readonly string[]): readonly Declaration[] {
  return words.flatMap((word, i): readonly Declaration[] => {
    if (word === "let" || word === "const") {
      const isLoop = words[i - 2] === "for";
      const from = isLoop ? closingOf(words, i - 1) : words.length;
      return [{ name: words[i + 1] ?? "", at: i + 1, from: words[i + 3] === "0" ? i + 5 : from, isLocal: isLoop }];
    }
    if (word !== "=>") return [];
    const start = words.lastIndexOf("(", i);
    return words
      .slice(start + 1, i - 1)
      .flatMap((name, k) => (name === "," ? [] : [{ name, at: start + 1 + k, from: i + 1, isLocal: true }]));
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
