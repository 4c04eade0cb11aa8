import type { Argument, Clause } from "./ast.ts";
import { ahead, peek, sees, take, type Cursor } from "./cursor.ts";
import { SyntaxFault } from "./token.ts";

type ArgsRule = (cursor: Cursor) => readonly Argument[] | undefined;
type ClauseRule = (cursor: Cursor) => readonly Clause[] | undefined;

/** Arguments that are no list of arguments: generators among others, positions after keywords. */
export function diagnoseArguments(cursor: Cursor, parseArgs: ArgsRule, parseClauses: ClauseRule): void {
  const bare = "Generator expression must be parenthesized";
  const { expression } = cursor.rules;
  ahead(cursor, () => {
    if (parseArgs(cursor) === undefined || !take(cursor, ",") || !sees(cursor, "*")) return;
    throw new SyntaxFault("iterable argument unpacking follows keyword argument unpacking");
  });
  ahead(cursor, () => {
    if (expression(cursor) === undefined || parseClauses(cursor) === undefined || !take(cursor, ",")) return;
    throw new SyntaxFault(bare);
  });
  ahead(cursor, () => diagnoseKeywordClauses(cursor, parseClauses));
  ahead(cursor, () => {
    const args = parseArgs(cursor);
    if (args === undefined || parseClauses(cursor) === undefined) return;
    if (args.filter(({ kind }) => kind === "positional" || kind === "starred").length > 1) throw new SyntaxFault(bare);
  });
  ahead(cursor, () => {
    if (parseArgs(cursor) === undefined || !take(cursor, ",")) return;
    if (expression(cursor) !== undefined && parseClauses(cursor) !== undefined) throw new SyntaxFault(bare);
  });
  ahead(cursor, () => {
    const args = parseArgs(cursor);
    if (args === undefined || !take(cursor, ",") || parseArgs(cursor) === undefined) return;
    const unpacks = args.some(({ kind }) => kind === "doubleStarred");
    throw new SyntaxFault(`positional argument follows keyword argument${unpacks ? " unpacking" : ""}`);
  });
}

function diagnoseKeywordClauses(cursor: Cursor, parseClauses: ClauseRule): void {
  if (peek(cursor).kind !== "name") return;
  cursor.at++;
  if (!take(cursor, "=") || cursor.rules.expression(cursor) === undefined || parseClauses(cursor) === undefined) return;
  throw new SyntaxFault("invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
}

/** A keyword that is no name. */
export function diagnoseKeyword(cursor: Cursor): void {
  const { kind, text } = peek(cursor);
  const isConstant = kind === "keyword" && ["True", "False", "None"].includes(text);
  if ((isConstant || kind === "name") && peek(cursor, 1).text === "=" && peek(cursor, 1).kind === "op") {
    if (isConstant) throw new SyntaxFault(`cannot assign to ${text}`);
    return;
  }
  if (cursor.rules.expression(cursor) === undefined || !sees(cursor, "=")) return;
  throw new SyntaxFault('expression cannot contain assignment, perhaps you meant "=="?');
}
