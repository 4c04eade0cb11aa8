import type { Argument, Clause } from "./ast.ts";
import { ahead, attempt, peek, remembered, sees, take, type Cursor } from "./cursor.ts";
import { diagnoseArguments, diagnoseKeyword } from "./diagnoseArguments.ts";

export type ClauseRule = (cursor: Cursor) => readonly Clause[] | undefined;

/** What stands between the parentheses of a call, which are left to the caller. */
export function parseArguments(cursor: Cursor, parseClauses: ClauseRule): readonly Argument[] | undefined {
  const start = cursor.at;
  const args = attempt(cursor, () => {
    const found = parseArgs(cursor);
    if (found === undefined) return undefined;
    take(cursor, ",");
    return sees(cursor, ")") ? found : undefined;
  });
  if (args === undefined && cursor.invalidRules) {
    cursor.at = start;
    diagnoseArguments(cursor, parseArgs, parseClauses);
  }
  return args;
}

/** Positional arguments, then keywords; after the first keyword only stars are positional. */
const parseArgs = remembered((cursor): readonly Argument[] | undefined => {
  const args: Argument[] = [];
  for (const rule of [parsePositional, parseKeywordOrStarred, parseKeywordOrDoubleStarred]) {
    for (;;) {
      const next = attempt(cursor, () => (args.length === 0 || take(cursor, ",") ? rule(cursor) : undefined));
      if (next === undefined) break;
      args.push(next);
    }
  }
  return args.length === 0 ? undefined : args;
});

function parsePositional(cursor: Cursor): Argument | undefined {
  return attempt(cursor, () => {
    const starred = parseStarred(cursor, "*");
    if (starred !== undefined) return starred;
    const isNamed = peek(cursor).kind === "name" && peek(cursor, 1).text === ":=";
    const value = isNamed ? cursor.rules.named(cursor) : cursor.rules.expression(cursor);
    if (value === undefined || sees(cursor, ":=") || sees(cursor, "=")) return undefined;
    return { kind: "positional", name: "", value };
  });
}

function parseStarred(cursor: Cursor, star: "*" | "**"): Argument | undefined {
  return attempt(cursor, () => {
    const value = take(cursor, star) ? cursor.rules.expression(cursor) : undefined;
    return value && { kind: star === "*" ? "starred" : "doubleStarred", name: "", value };
  });
}

function parseKeywordOrStarred(cursor: Cursor): Argument | undefined {
  return parseKeyword(cursor) ?? parseStarred(cursor, "*");
}

function parseKeywordOrDoubleStarred(cursor: Cursor): Argument | undefined {
  return parseKeyword(cursor) ?? parseStarred(cursor, "**");
}

function parseKeyword(cursor: Cursor): Argument | undefined {
  if (cursor.invalidRules) ahead(cursor, () => diagnoseKeyword(cursor));
  return attempt(cursor, () => {
    const { kind, text: name } = peek(cursor);
    if (kind !== "name") return undefined;
    cursor.at++;
    const value = take(cursor, "=") ? cursor.rules.expression(cursor) : undefined;
    return value && { kind: "keyword", name, value };
  });
}
