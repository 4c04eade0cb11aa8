import { nameOf } from "./ast.ts";
import { ahead, peek, sees, seesKind, take, type Cursor } from "./cursor.ts";
import { requireTarget } from "./targets.ts";
import { SyntaxFault } from "./token.ts";

/** Annotations of more than one target, and assignments to what is none. */
export function diagnoseAssignment(cursor: Cursor): void {
  ahead(cursor, () => diagnoseAnnotatedDisplay(cursor));
  ahead(cursor, () => diagnoseAnnotatedTuple(cursor));
  ahead(cursor, () => {
    if (!annotates(cursor, cursor.rules.expression)) return;
    throw new SyntaxFault("illegal target for annotation");
  });
  ahead(cursor, () => {
    skipTargets(cursor);
    const target = cursor.rules.starExpressions(cursor);
    if (target !== undefined && sees(cursor, "=")) requireTarget(target, "assign");
  });
  ahead(cursor, () => {
    skipTargets(cursor);
    if (cursor.rules.yield(cursor) === undefined || !sees(cursor, "=")) return;
    throw new SyntaxFault("assignment to yield expression not possible");
  });
  ahead(cursor, () => diagnoseAugmented(cursor));
}

function annotates(cursor: Cursor, rule: (cursor: Cursor) => unknown): boolean {
  return rule(cursor) !== undefined && take(cursor, ":") && cursor.rules.expression(cursor) !== undefined;
}

function diagnoseAnnotatedDisplay(cursor: Cursor): void {
  const { text } = peek(cursor);
  if (text !== "(" && text !== "[") return;
  const target = cursor.rules.atom(cursor);
  if (target?.kind !== "tuple" && target?.kind !== "list") return;
  if (!take(cursor, ":") || cursor.rules.expression(cursor) === undefined) return;
  throw new SyntaxFault(`only single target (not ${target.kind}) can be annotated`);
}

function diagnoseAnnotatedTuple(cursor: Cursor): void {
  const { starNamed, expression } = cursor.rules;
  if (starNamed(cursor) === undefined || !take(cursor, ",")) return;
  while (starNamed(cursor) !== undefined) take(cursor, ",");
  if (!take(cursor, ":") || expression(cursor) === undefined) return;
  throw new SyntaxFault("only single target (not tuple) can be annotated");
}

/** Targets that are right, up to the first that is not. */
function skipTargets(cursor: Cursor): void {
  for (;;) {
    const start = cursor.at;
    if (cursor.rules.target(cursor) !== undefined && take(cursor, "=")) continue;
    cursor.at = start;
    return;
  }
}

function diagnoseAugmented(cursor: Cursor): void {
  const { starExpressions, yield: yields } = cursor.rules;
  const target = starExpressions(cursor);
  const { kind, text } = peek(cursor);
  if (target === undefined || kind !== "op" || !augmented.has(text)) return;
  cursor.at++;
  if ((yields(cursor) ?? starExpressions(cursor)) === undefined) return;
  throw new SyntaxFault(`'${nameOf(target)}' is an illegal expression for augmented assignment`);
}

const augmented = new Set("+= -= *= /= //= %= @= &= |= ^= <<= >>= **=".split(" "));

export function diagnoseDelete(cursor: Cursor): void {
  ahead(cursor, () => {
    const target = cursor.rules.starExpressions(cursor);
    if (target !== undefined) requireTarget(target, "delete");
  });
}

export function diagnoseImportTargets(cursor: Cursor): void {
  ahead(cursor, () => {
    cursor.at++;
    if (!seesKind(cursor, "newline")) return;
    throw new SyntaxFault("trailing comma not allowed without surrounding parentheses");
  });
}
