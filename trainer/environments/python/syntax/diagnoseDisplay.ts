import type { Clause, Expression } from "./ast.ts";
import { ahead, attempt, sees, separated, take, type Cursor } from "./cursor.ts";
import { requireTarget } from "./targets.ts";
import { SyntaxFault } from "./token.ts";

type ClauseRule = (cursor: Cursor) => readonly Clause[] | undefined;

/** A starred or unparenthesised element before `for`. */
export function diagnoseComprehension(cursor: Cursor, parseClauses: ClauseRule): void {
  const { rules } = cursor;
  ahead(cursor, () => {
    if (!["(", "[", "{"].some((open) => take(cursor, open)) || !take(cursor, "*")) return;
    if (rules.expression(cursor) === undefined || parseClauses(cursor) === undefined) return;
    throw new SyntaxFault("iterable unpacking cannot be used in comprehension");
  });
  ahead(cursor, () => {
    if (!["[", "{"].some((open) => take(cursor, open))) return;
    if (rules.starNamed(cursor) === undefined || !take(cursor, ",")) return;
    if (separated(cursor, () => rules.starNamed(cursor)).length > 0) take(cursor, ",");
    if (parseClauses(cursor) === undefined) return;
    throw new SyntaxFault("did you forget parentheses around the comprehension target?");
  });
  ahead(cursor, () => {
    if (!take(cursor, "{") || !take(cursor, "**")) return;
    if (rules.bitwiseOr(cursor) === undefined || parseClauses(cursor) === undefined || !sees(cursor, "}")) return;
    throw new SyntaxFault("dict unpacking cannot be used in dict comprehension");
  });
}

/** `(*values)` and `(**values)` */
export function diagnoseGroup(cursor: Cursor): undefined {
  const { rules } = cursor;
  ahead(cursor, () => {
    if (!take(cursor, "(") || !take(cursor, "*") || rules.expression(cursor) === undefined || !sees(cursor, ")"))
      return;
    throw new SyntaxFault("cannot use starred expression here");
  });
  ahead(cursor, () => {
    if (!take(cursor, "(") || !take(cursor, "**") || rules.expression(cursor) === undefined || !sees(cursor, ")"))
      return;
    throw new SyntaxFault("cannot use double starred expression here");
  });
}

export function diagnoseForTarget(cursor: Cursor): void {
  ahead(cursor, () => {
    if (!take(cursor, "for")) return;
    const target = cursor.rules.starExpressions(cursor);
    if (target !== undefined) requireTarget(target, "for");
  });
}

type EntryRule = (cursor: Cursor) => { key: Expression | undefined; value: Expression } | undefined;

/** Entries of a dictionary that lack a colon or a value. */
export function diagnosePairs(cursor: Cursor, parseEntry: EntryRule): void {
  const { expression } = cursor.rules;
  ahead(cursor, () => {
    cursor.at++;
    if (separated(cursor, () => parseEntry(cursor)).length === 0 || !take(cursor, ",")) return;
    ahead(cursor, () => {
      if (expression(cursor) === undefined || sees(cursor, ":")) return;
      throw new SyntaxFault("':' expected after dictionary key");
    });
    diagnoseValue(cursor);
  });
  ahead(cursor, () => {
    cursor.at++;
    diagnoseValue(cursor);
  });
}

function diagnoseValue(cursor: Cursor): void {
  attempt(cursor, () => {
    if (cursor.rules.expression(cursor) === undefined || !take(cursor, ":")) return undefined;
    if (take(cursor, "*") && cursor.rules.bitwiseOr(cursor) !== undefined) {
      throw new SyntaxFault("cannot use a starred expression in a dictionary value");
    }
    if (!sees(cursor, "}") && !sees(cursor, ",")) return undefined;
    throw new SyntaxFault("expression expected after dictionary key and ':'");
  });
}
