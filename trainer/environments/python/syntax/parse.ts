import type { Block, Expression } from "./ast.ts";
import { parseAtom, parsePrimary } from "./atoms.ts";
import { parseStatements } from "./compound.ts";
import { attempt, seesKind, take, type Cursor, type Rules } from "./cursor.ts";
import {
  parseBinary,
  parseConditional,
  parseDisjunction,
  parseExpression,
  parseLambda,
  parseList,
  parseNamed,
  parseStarExpressions,
  parseStarNamed,
  parseYield,
} from "./expressions.ts";
import { lex } from "./lexer.ts";
import { readTwice } from "./readTwice.ts";
import { isTarget } from "./targets.ts";

/** A program as a tree. Throws a `SyntaxFault` with CPython 3.11's words where it is none. */
export function parse(source: string): Block {
  return readTwice(lex(source), rules, (cursor) => {
    const statements = parseStatements(cursor);
    return seesKind(cursor, "end") ? statements : undefined;
  });
}

const rules: Rules = {
  expression: parseExpression,
  conditional: (cursor) => parseConditional(cursor) ?? parseLambda(cursor),
  named: parseNamed,
  starNamed: parseStarNamed,
  starExpressions: parseStarExpressions,
  disjunction: parseDisjunction,
  bitwiseOr: (cursor) => parseBinary(cursor, 0),
  atom: parseAtom,
  yield: parseYield,
  target: parseTargets,
};

/** Names, attributes, items, and lists of them. */
function parseTargets(cursor: Cursor): Expression | undefined {
  return attempt(cursor, () => {
    const target = parseList(cursor, parseTarget);
    return target && isTarget(target) ? target : undefined;
  });
}

function parseTarget(cursor: Cursor): Expression | undefined {
  return attempt(cursor, (): Expression | undefined => {
    if (!take(cursor, "*")) return parsePrimary(cursor);
    const value = parsePrimary(cursor);
    return value && { kind: "starred", value };
  });
}
