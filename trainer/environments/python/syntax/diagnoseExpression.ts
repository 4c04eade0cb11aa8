import { nameOf } from "./ast.ts";
import { ahead, peek, remembered, sees, seesKind, take, type Cursor } from "./cursor.ts";
import { SyntaxFault } from "./token.ts";

/** Two expressions side by side between brackets, and conditional expressions without an end. */
export function diagnoseExpression(cursor: Cursor): void {
  ahead(cursor, () => diagnoseNeighbours(cursor));
  ahead(cursor, () => diagnoseConditional(cursor));
  ahead(cursor, () => diagnoseLegacy(cursor));
}

// CPython compares no more letters than the name has: `c` and `mat` count too.
const isSoftKeyword = (name: string): boolean => ["_", "case", "match"].some((word) => word.startsWith(name));
const legacyStatements = new Set(["print", "exec"]);

function diagnoseNeighbours(cursor: Cursor): void {
  const { kind, text } = peek(cursor);
  if (kind === "name" && (peek(cursor, 1).kind === "string" || isSoftKeyword(text))) return;
  const left = cursor.rules.disjunction(cursor);
  if (left === undefined) return;
  const right = withoutInvalidRules(cursor, () => cursor.rules.conditional(cursor));
  if (right === undefined || (left.kind === "name" && legacyStatements.has(left.id))) return;
  if (peek(cursor, -1).level > 0) throw new SyntaxFault("invalid syntax. Perhaps you forgot a comma?");
}

function withoutInvalidRules<Result>(cursor: Cursor, rule: () => Result): Result {
  const before = cursor.invalidRules;
  cursor.invalidRules = false;
  const result = rule();
  cursor.invalidRules = before;
  return result;
}

function diagnoseConditional(cursor: Cursor): void {
  const { disjunction } = cursor.rules;
  if (disjunction(cursor) === undefined || !take(cursor, "if") || disjunction(cursor) === undefined) return;
  if (!sees(cursor, "else") && !sees(cursor, ":")) throw new SyntaxFault("expected 'else' after 'if' expression");
}

function diagnoseLegacy(cursor: Cursor): void {
  const { kind, text } = peek(cursor);
  if (kind !== "name") return;
  cursor.at++;
  if (sees(cursor, "(") || cursor.rules.starExpressions(cursor) === undefined || !legacyStatements.has(text)) return;
  throw new SyntaxFault(`Missing parentheses in call to '${text}'. Did you mean ${text}(...)?`);
}

/** An assignment where a comparison was meant. */
export const diagnoseNamed = remembered((cursor): undefined => {
  ahead(cursor, () => {
    const target = cursor.rules.expression(cursor);
    if (target === undefined || !take(cursor, ":=") || cursor.rules.expression(cursor) === undefined) return;
    throw new SyntaxFault(`cannot use assignment expressions with ${nameOf(target)}`);
  });
  ahead(cursor, () => {
    if (!seesKind(cursor, "name")) return;
    cursor.at++;
    if (!take(cursor, "=") || cursor.rules.bitwiseOr(cursor) === undefined || assigns(cursor)) return;
    throw new SyntaxFault("invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
  });
  ahead(cursor, () => {
    if (startsWithTarget(cursor)) return;
    const target = cursor.rules.bitwiseOr(cursor);
    if (target === undefined || !take(cursor, "=")) return;
    if (cursor.rules.bitwiseOr(cursor) === undefined || assigns(cursor)) return;
    throw new SyntaxFault(`cannot assign to ${nameOf(target)} here. Maybe you meant '==' instead of '='?`);
  });
});

function assigns(cursor: Cursor): boolean {
  return sees(cursor, "=") || sees(cursor, ":=");
}

/** A list, tuple, generator or constant, which the rule leaves to others. */
function startsWithTarget(cursor: Cursor): boolean {
  const { kind, text } = peek(cursor);
  if (kind === "keyword") return ["True", "False", "None"].includes(text);
  if (text !== "(" && text !== "[") return false;
  return ahead(cursor, () => {
    const atom = cursor.rules.atom(cursor);
    if (atom === undefined) return false;
    return atom.kind === "comprehension" ? atom.form === "generator" : atom.kind === "list" || atom.kind === "tuple";
  });
}
