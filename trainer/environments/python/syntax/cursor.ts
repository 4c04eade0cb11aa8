import type { Expression } from "./ast.ts";
import type { Lexed } from "./lexer.ts";
import { SyntaxFault, type Token } from "./token.ts";

/**
 * Where a parser stands. Rules are those of a parsing expression grammar: each returns what it read, or undefined and
 * leaves the cursor where it was. A program that fails is read a second time with `isDiagnosing`, in which rules of
 * wrong programs are tried too, in CPython's order, so that its messages come out.
 */
export type Cursor = {
  readonly lexed: Lexed;
  at: number;
  /** The furthest token looked at so far. */
  furthest: number;
  readonly isDiagnosing: boolean;
  /** Off where a rule of wrong programs reads on as if all were well. */
  invalidRules: boolean;
  readonly rules: Rules;
  depth: number;
};

type Rule = (cursor: Cursor) => Expression | undefined;

/** The rules that others come back to, so that their files need not import each other in circles. */
export type Rules = Readonly<
  Record<
    | "expression"
    | "conditional"
    | "named"
    | "starNamed"
    | "starExpressions"
    | "disjunction"
    | "bitwiseOr"
    | "atom"
    | "yield"
    | "target",
    Rule
  >
>;

export function makeCursor(lexed: Lexed, isDiagnosing: boolean, rules: Rules): Cursor {
  return { lexed, at: 0, furthest: 0, isDiagnosing, invalidRules: isDiagnosing, rules, depth: 0 };
}

const end: Token = { kind: "end", text: "", line: 1, level: 0 };

export function peek(cursor: Cursor, ahead = 0): Token {
  const index = cursor.at + ahead;
  if (index > cursor.furthest) cursor.furthest = index;
  const token = cursor.lexed.tokens[index] ?? end;
  if (token.kind === "fault") throw cursor.lexed.fault ?? neverClosed(cursor.lexed);
  return token;
}

export function neverClosed(lexed: Lexed): SyntaxFault {
  return new SyntaxFault(`'${lexed.unclosed?.bracket ?? "("}' was never closed`);
}

/** Whether the next token is this operator or keyword. */
export function sees(cursor: Cursor, text: string): boolean {
  const token = peek(cursor);
  return token.text === text && (token.kind === "op" || token.kind === "keyword");
}

export function take(cursor: Cursor, text: string): boolean {
  if (!sees(cursor, text)) return false;
  cursor.at++;
  return true;
}

export function takeKind(cursor: Cursor, kind: Token["kind"]): Token | undefined {
  const token = peek(cursor);
  if (token.kind !== kind) return undefined;
  cursor.at++;
  return token;
}

export function seesKind(cursor: Cursor, kind: Token["kind"]): boolean {
  return peek(cursor).kind === kind;
}

/** A rule all or nothing: where it fails the cursor is back at its start. */
export function attempt<Result>(cursor: Cursor, rule: () => Result | undefined): Result | undefined {
  const start = cursor.at;
  const result = rule();
  if (result === undefined) cursor.at = start;
  return result;
}

/** Reads and comes back: whether a rule would succeed. */
export function ahead(cursor: Cursor, rule: () => unknown): boolean {
  const start = cursor.at;
  const result = rule();
  cursor.at = start;
  return result !== undefined && result !== false;
}

/** What a rule read, and where that ended, by the token it was tried at. */
type Memory<Result> = WeakMap<Cursor, Map<number, { result: Result | undefined; end: number }>>;

/** While diagnosing, rules are tried at the same place again and again; each is read once. */
export function remembered<Result>(
  rule: (cursor: Cursor) => Result | undefined,
): (cursor: Cursor) => Result | undefined {
  const memory: Memory<Result> = new WeakMap();
  return (cursor) => {
    if (!cursor.isDiagnosing) return attempt(cursor, () => rule(cursor));
    const places = memory.get(cursor) ?? new Map<number, { result: Result | undefined; end: number }>();
    memory.set(cursor, places);
    const start = cursor.at;
    const known = places.get(start);
    if (known !== undefined) {
      cursor.at = known.end;
      return known.result;
    }
    const result = attempt(cursor, () => rule(cursor));
    places.set(start, { result, end: cursor.at });
    return result;
  };
}

/** One or more, separated by commas; a comma at the end is left alone. */
export function separated<Item>(cursor: Cursor, item: () => Item | undefined): Item[] {
  const first = item();
  if (first === undefined) return [];
  const items = [first];
  for (;;) {
    const next = attempt(cursor, () => (take(cursor, ",") ? item() : undefined));
    if (next === undefined) return items;
    items.push(next);
  }
}

const maxDepth = 300;

/** Nesting is bounded, so that no program can exhaust the stack of its reader. */
export function nested<Result>(cursor: Cursor, rule: () => Result): Result {
  if (cursor.depth >= maxDepth) throw new SyntaxFault("too many nested parentheses");
  cursor.depth++;
  try {
    return rule();
  } finally {
    cursor.depth--;
  }
}
