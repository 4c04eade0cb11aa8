import { splitWords, unquote, type FilterProblem } from "./splitWords.ts";

export const operators = ["<=", ">=", "!=", ":", "=", "<", ">"] as const;
export type Operator = (typeof operators)[number];

/** A parsed word of a filter, before fields are known. */
export type Term = { start: number; end: number; isNegated: boolean } & (
  | { kind: "bare"; text: string; isQuoted: boolean }
  | { kind: "field"; name: string; operator: Operator; value: string; isQuoted: boolean }
);

export type ParsedFilter = { terms: Term[]; problems: FilterProblem[] };

/** Parses `method:gspo lr<1e-3 collapsed -tag:paper "free text"`; all terms must match. Never throws. */
export function parseFilter(filter: string): ParsedFilter {
  const { words, problems } = splitWords(filter);
  const terms = words.flatMap(({ text, start, end }): Term[] => {
    const isNegated = text.startsWith("-");
    const word = isNegated ? text.slice(1) : text;
    if (word === "") {
      problems.push({ start, end, message: "- excludes the word after it: nothing follows" });
      return [];
    }
    const where = { start, end, isNegated };
    const [, name, operator, value = ""] = /^([^"\s:=<>!]+)(<=|>=|!=|[:=<>])(.*)$/s.exec(word) ?? [];
    const known = operators.find((one) => one === operator);
    if (name === undefined || known === undefined) {
      return [{ ...where, kind: "bare", text: unquote(word), isQuoted: word.includes('"') }];
    }
    if (value === "") {
      problems.push({ start, end, message: `${word} has no value: ${name}${operator}*, for one, finds any` });
      return [];
    }
    return [{ ...where, kind: "field", name, operator: known, value: unquote(value), isQuoted: value.includes('"') }];
  });
  return { terms, problems };
}
