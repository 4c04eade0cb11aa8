import { makeCursor, neverClosed, type Cursor, type Rules } from "./cursor.ts";
import type { Lexed } from "./lexer.ts";
import { SyntaxFault } from "./token.ts";

/**
 * A program is read once for what it says. If it says nothing it is read again for what is wrong with it, and the
 * faults of its words go before those of its grammar, as CPython has it.
 */
export function readTwice<Result>(lexed: Lexed, rules: Rules, read: (cursor: Cursor) => Result | undefined): Result {
  const first = makeCursor(lexed, false, rules);
  const second = makeCursor(lexed, true, rules);
  try {
    const result = read(first);
    if (result !== undefined) return result;
    read(second);
  } catch (fault) {
    if (!(fault instanceof SyntaxFault)) throw fault;
    throw fault === lexed.fault ? fault : (findFault(lexed, [first, second]) ?? fault);
  }
  const kind = lexed.tokens[first.furthest]?.kind;
  if (kind === "indent") throw new SyntaxFault("unexpected indent", "IndentationError");
  if (kind === "dedent") throw new SyntaxFault("unexpected unindent", "IndentationError");
  throw findFault(lexed, [first, second]) ?? new SyntaxFault("invalid syntax");
}

/** A fault further on, or a bracket left open where the reading came further than its line. */
function findFault(lexed: Lexed, cursors: readonly Cursor[]): SyntaxFault | undefined {
  if (lexed.fault !== undefined) return lexed.fault.isLazy ? undefined : lexed.fault;
  const furthest = Math.max(...cursors.map((cursor) => cursor.furthest));
  const line = lexed.tokens[furthest]?.line ?? 0;
  return lexed.unclosed !== undefined && line > lexed.unclosed.line ? neverClosed(lexed) : undefined;
}
