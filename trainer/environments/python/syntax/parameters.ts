import type { Expression, Parameter, Parameters } from "./ast.ts";
import { attempt, peek, sees, take, takeKind, type Cursor } from "./cursor.ts";
import { SyntaxFault } from "./token.ts";

/** Of a function up to `)`, annotations allowed, or of a lambda up to `:`. The end is left to the caller. */
export function parseParameters(cursor: Cursor, end: ")" | ":"): Parameters | undefined {
  const state: Draft = { positionalOnly: 0, positional: [], rest: undefined, keywordOnly: [], keywordRest: undefined };
  let isStarred = false;
  while (!sees(cursor, end)) {
    if (state.keywordRest !== undefined) return refuse(cursor, "arguments cannot follow var-keyword argument");
    if (sees(cursor, "**")) {
      if (!parseKeywordRest(cursor, state, end)) return undefined;
    } else if (sees(cursor, "*")) {
      if (isStarred) return refuse(cursor, "* argument may appear only once");
      if (!parseRest(cursor, state, end)) return undefined;
      isStarred = true;
    } else if (sees(cursor, "/")) {
      if (!parseSlash(cursor, state, isStarred)) return undefined;
    } else if (!parseOne(cursor, state, { isStarred, end })) return undefined;
    if (!take(cursor, ",") && !sees(cursor, end)) return undefined;
  }
  return state;
}

type Draft = {
  positionalOnly: number;
  positional: Parameter[];
  rest: string | undefined;
  keywordOnly: Parameter[];
  keywordRest: string | undefined;
};

/** A wrong list of parameters ends the first reading like any failure; the second says what is wrong. */
function refuse(cursor: Cursor, message: string): undefined {
  if (cursor.invalidRules) throw new SyntaxFault(message);
  return undefined;
}

function parseOne(cursor: Cursor, state: Draft, { isStarred, end }: { isStarred: boolean; end: ")" | ":" }): boolean {
  if (sees(cursor, "(") && state.positional.every(({ defaultValue }) => defaultValue === undefined) && !isStarred) {
    diagnoseParenthesised(cursor, end);
    return false;
  }
  const parameter = parseParameter(cursor, end);
  if (parameter === undefined) return false;
  const isClosed = sees(cursor, ",") || sees(cursor, end);
  if (isStarred) {
    state.keywordOnly.push(parameter);
    return true;
  }
  if (isClosed && parameter.defaultValue === undefined && state.positional.at(-1)?.defaultValue !== undefined) {
    refuse(cursor, "non-default argument follows default argument");
    return false;
  }
  state.positional.push(parameter);
  return true;
}

function parseParameter(cursor: Cursor, end: ")" | ":"): Parameter | undefined {
  const name = takeKind(cursor, "name")?.text;
  if (name === undefined) return undefined;
  if (end === ")" && take(cursor, ":") && cursor.rules.expression(cursor) === undefined) return undefined;
  if (!sees(cursor, "=")) return { name, defaultValue: undefined };
  cursor.at++;
  if (sees(cursor, ")") || sees(cursor, ",")) return refuse(cursor, "expected default value expression");
  const defaultValue: Expression | undefined = cursor.rules.expression(cursor);
  return defaultValue && { name, defaultValue };
}

function diagnoseParenthesised(cursor: Cursor, end: ")" | ":"): void {
  const title = end === ")" ? "Function" : "Lambda expression";
  attempt(cursor, () => {
    cursor.at++;
    while (takeKind(cursor, "name") !== undefined) take(cursor, ",");
    return sees(cursor, ")") && peek(cursor, -1).text !== "("
      ? refuse(cursor, `${title} parameters cannot be parenthesized`)
      : undefined;
  });
}

function parseRest(cursor: Cursor, state: Draft, end: ")" | ":"): boolean {
  cursor.at++;
  if (sees(cursor, end)) return refuse(cursor, "named arguments must follow bare *") ?? false;
  if (sees(cursor, ",")) {
    const following = peek(cursor, 1).text;
    return following === end || following === "**"
      ? (refuse(cursor, "named arguments must follow bare *") ?? false)
      : true;
  }
  state.rest = takeKind(cursor, "name")?.text;
  if (state.rest === undefined) return false;
  if (end === ")" && take(cursor, ":")) cursor.rules.starNamed(cursor);
  return sees(cursor, "=") ? (refuse(cursor, "var-positional argument cannot have default value") ?? false) : true;
}

function parseKeywordRest(cursor: Cursor, state: Draft, end: ")" | ":"): boolean {
  cursor.at++;
  state.keywordRest = takeKind(cursor, "name")?.text;
  if (state.keywordRest === undefined) return false;
  if (end === ")" && take(cursor, ":")) cursor.rules.expression(cursor);
  return sees(cursor, "=") ? (refuse(cursor, "var-keyword argument cannot have default value") ?? false) : true;
}

function parseSlash(cursor: Cursor, state: Draft, isStarred: boolean): boolean {
  if (state.positional.length === 0 && !isStarred) {
    return refuse(cursor, "at least one argument must precede /") ?? false;
  }
  if (state.positionalOnly > 0) return refuse(cursor, "/ may appear only once") ?? false;
  if (isStarred) return refuse(cursor, "/ must be ahead of *") ?? false;
  cursor.at++;
  state.positionalOnly = state.positional.length;
  return true;
}
