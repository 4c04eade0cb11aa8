import type { Rng } from "#trainer/spec/rng.ts";
import { splitCode } from "../language/lexer.ts";
import { linesOf, renameVariables, type LibraryFunction } from "../library/function.ts";

/** Alternative variable names, by the name that the library uses. */
export const synonyms: Readonly<Record<string, string>> = {
  values: "numbers",
  value: "entry",
  total: "amount",
  key: "label",
  limit: "most",
  other: "spare",
  size: "width",
  items: "rows",
  i: "index",
  left: "one",
  right: "two",
};

/** Returns the function with some variables renamed, each with a probability of `renamedPercent` %. */
export function withOtherNames(source: LibraryFunction, renamedPercent: number, rng: Rng): LibraryFunction {
  const used = new Set(linesOf(source).flatMap((line) => splitCode(line)));
  const names = new Map<string, string>();
  for (const [name, synonym] of Object.entries(synonyms)) {
    const isRenamed = rng.int(100) < renamedPercent;
    if (isRenamed && used.has(name) && !used.has(synonym)) names.set(name, synonym);
  }
  return renameVariables(source, names);
}
