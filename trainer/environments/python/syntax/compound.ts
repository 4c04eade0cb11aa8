import { parseArguments } from "./arguments.ts";
import type { Argument, Block, Expression, Handler, Statement } from "./ast.ts";
import { parseClauses } from "./atoms.ts";
import { ahead, attempt, nested, peek, remembered, sees, seesKind, take, takeKind, type Cursor } from "./cursor.ts";
import { diagnoseForTarget } from "./diagnoseDisplay.ts";
import { parseParameters } from "./parameters.ts";
import { parseSimpleStatements } from "./statements.ts";
import { requireTarget } from "./targets.ts";
import { SyntaxFault } from "./token.ts";

export function parseStatements(cursor: Cursor): Statement[] {
  const statements: Statement[] = [];
  for (;;) {
    const next = parseStatement(cursor);
    if (next === undefined) return statements;
    statements.push(...next);
  }
}

function parseStatement(cursor: Cursor): readonly Statement[] | undefined {
  const { kind, text } = peek(cursor);
  const isCompound = (kind === "keyword" && Object.hasOwn(compoundRules, text)) || (kind === "op" && text === "@");
  if (!isCompound) return parseSimpleStatements(cursor);
  const statement = nested(cursor, () => attempt(cursor, () => compoundRules[text]?.(cursor)));
  return statement && [statement];
}

const compoundRules: Readonly<Record<string, (cursor: Cursor) => Statement | undefined>> = {
  if: parseIf,
  while: parseWhile,
  for: parseFor,
  def: (cursor) => parseFunction(cursor, []),
  class: (cursor) => parseClass(cursor, []),
  with: parseWith,
  try: parseTry,
  "@": parseDecorated,
};

const parseBlock = remembered((cursor): Block | undefined => {
  const block = attempt(cursor, () => {
    if (takeKind(cursor, "newline") === undefined || takeKind(cursor, "indent") === undefined) return undefined;
    const statements = parseStatements(cursor);
    return statements.length > 0 && takeKind(cursor, "dedent") !== undefined ? statements : undefined;
  });
  return block ?? parseSimpleStatements(cursor);
});

/** What every header ends with. `title` is how a missing block is complained of. */
function parseBody(cursor: Cursor, line: number, title: string): Block | undefined {
  if (cursor.invalidRules && seesKind(cursor, "newline")) throw new SyntaxFault("expected ':'");
  return take(cursor, ":") ? parseIndented(cursor, line, title) : undefined;
}

function parseIndented(cursor: Cursor, line: number, title: string): Block | undefined {
  if (cursor.invalidRules) {
    ahead(cursor, () => {
      if (takeKind(cursor, "newline") === undefined || seesKind(cursor, "indent")) return;
      throw new SyntaxFault(`expected an indented block after ${title} on line ${line}`, "IndentationError");
    });
  }
  return parseBlock(cursor);
}

/** A colon whose lack is complained of at once, whatever stands there instead. */
function requireToken(cursor: Cursor, text: ":" | "("): void {
  if (!take(cursor, text)) throw new SyntaxFault(`expected '${text}'`);
}

function parseIf(cursor: Cursor): Statement | undefined {
  const { line, text } = peek(cursor);
  cursor.at++;
  const test = cursor.rules.named(cursor);
  const whenTrue = test && parseBody(cursor, line, `'${text}' statement`);
  if (!test || !whenTrue) return undefined;
  if (!sees(cursor, "elif")) return { kind: "if", test, whenTrue, otherwise: parseElse(cursor) ?? [] };
  const otherwise = nested(cursor, () => attempt(cursor, () => parseIf(cursor)));
  return { kind: "if", test, whenTrue, otherwise: otherwise ? [otherwise] : [] };
}

function parseElse(cursor: Cursor): Block | undefined {
  return attempt(cursor, () => {
    const { line } = peek(cursor);
    if (!take(cursor, "else")) return undefined;
    requireToken(cursor, ":");
    return parseIndented(cursor, line, "'else' statement");
  });
}

function parseWhile(cursor: Cursor): Statement | undefined {
  const { line } = peek(cursor);
  cursor.at++;
  const test = cursor.rules.named(cursor);
  const body = test && parseBody(cursor, line, "'while' statement");
  return test && body && { kind: "while", test, body, otherwise: parseElse(cursor) ?? [] };
}

function parseFor(cursor: Cursor): Statement | undefined {
  const { line } = peek(cursor);
  const { target: parseTarget, starExpressions } = cursor.rules;
  const start = cursor.at;
  cursor.at++;
  const target = parseTarget(cursor);
  if (target === undefined || !take(cursor, "in")) {
    cursor.at = start;
    if (cursor.invalidRules) diagnoseForTarget(cursor);
    return undefined;
  }
  const iterable = starExpressions(cursor);
  const body = iterable && parseBody(cursor, line, "'for' statement");
  return iterable && body && { kind: "for", target, iterable, body, otherwise: parseElse(cursor) ?? [] };
}

function parseDecorated(cursor: Cursor): Statement | undefined {
  const decorators: Expression[] = [];
  while (take(cursor, "@")) {
    const decorator = cursor.rules.named(cursor);
    if (decorator === undefined || takeKind(cursor, "newline") === undefined) return undefined;
    decorators.push(decorator);
  }
  if (sees(cursor, "def")) return parseFunction(cursor, decorators);
  return sees(cursor, "class") ? parseClass(cursor, decorators) : undefined;
}

function parseFunction(cursor: Cursor, decorators: readonly Expression[]): Statement | undefined {
  const { line } = peek(cursor);
  cursor.at++;
  const name = takeKind(cursor, "name")?.text;
  if (name === undefined) return undefined;
  requireToken(cursor, "(");
  const parameters = parseParameters(cursor, ")");
  if (parameters === undefined || !take(cursor, ")")) return undefined;
  attempt(cursor, () => (take(cursor, "->") ? cursor.rules.expression(cursor) : undefined));
  requireToken(cursor, ":");
  const body = parseIndented(cursor, line, "function definition");
  return body && { kind: "def", name, parameters, body, decorators };
}

function parseClass(cursor: Cursor, decorators: readonly Expression[]): Statement | undefined {
  const { line } = peek(cursor);
  cursor.at++;
  const name = takeKind(cursor, "name")?.text;
  if (name === undefined) return undefined;
  const args = attempt(cursor, () => parseBases(cursor)) ?? [];
  const body = parseBody(cursor, line, "class definition");
  return body && { kind: "class", name, args, body, decorators };
}

function parseBases(cursor: Cursor): readonly Argument[] | undefined {
  if (!take(cursor, "(")) return undefined;
  if (take(cursor, ")")) return [];
  const args = parseArguments(cursor, parseClauses);
  return args && take(cursor, ")") ? args : undefined;
}

function parseWith(cursor: Cursor): Statement | undefined {
  const { line } = peek(cursor);
  cursor.at++;
  const items: { context: Expression; target: Expression | undefined }[] = [];
  do {
    const context = cursor.rules.expression(cursor);
    if (context === undefined) return undefined;
    const target = attempt(cursor, () => parseContextTarget(cursor));
    items.push({ context, target });
  } while (take(cursor, ","));
  const body = parseBody(cursor, line, "'with' statement");
  return body && { kind: "with", items, body };
}

function parseContextTarget(cursor: Cursor): Expression | undefined {
  if (!take(cursor, "as")) return undefined;
  const start = cursor.at;
  const endsItem = (): boolean => [",", ")", ":"].some((text) => sees(cursor, text));
  const target = cursor.rules.target(cursor);
  if (target !== undefined && endsItem()) return target;
  if (target !== undefined && cursor.invalidRules && seesKind(cursor, "newline")) {
    throw new SyntaxFault("expected ':'");
  }
  cursor.at = start;
  const value = cursor.invalidRules ? cursor.rules.expression(cursor) : undefined;
  if (value !== undefined && endsItem()) requireTarget(value, "assign");
  return undefined;
}

function parseTry(cursor: Cursor): Statement | undefined {
  const { line } = peek(cursor);
  cursor.at++;
  requireToken(cursor, ":");
  const body = parseIndented(cursor, line, "'try' statement");
  if (body === undefined) return undefined;
  if (cursor.invalidRules && !sees(cursor, "except") && !sees(cursor, "finally")) {
    throw new SyntaxFault("expected 'except' or 'finally' block");
  }
  const handlers: Handler[] = [];
  for (;;) {
    const handler = attempt(cursor, () => parseHandler(cursor));
    if (handler === undefined) break;
    handlers.push(handler);
  }
  const otherwise = handlers.length > 0 ? (parseElse(cursor) ?? []) : [];
  const cleanup = parseFinally(cursor);
  if (handlers.length === 0 && cleanup === undefined) return undefined;
  return { kind: "try", body, handlers, otherwise, cleanup: cleanup ?? [] };
}

function parseHandler(cursor: Cursor): Handler | undefined {
  const { line } = peek(cursor);
  if (!take(cursor, "except")) return undefined;
  const type = cursor.rules.expression(cursor);
  if (type !== undefined && cursor.invalidRules && sees(cursor, ",")) ahead(cursor, () => diagnoseTypes(cursor));
  const name = type && attempt(cursor, () => (take(cursor, "as") ? takeKind(cursor, "name")?.text : undefined));
  const body = parseBody(cursor, line, "'except' statement");
  return body && { type, name, body };
}

function diagnoseTypes(cursor: Cursor): void {
  cursor.at++;
  if (cursor.rules.starExpressions(cursor) === undefined) return;
  if (take(cursor, "as") && takeKind(cursor, "name") === undefined) return;
  if (sees(cursor, ":")) throw new SyntaxFault("multiple exception types must be parenthesized");
}

function parseFinally(cursor: Cursor): Block | undefined {
  return attempt(cursor, () => {
    const { line } = peek(cursor);
    if (!take(cursor, "finally")) return undefined;
    requireToken(cursor, ":");
    return parseIndented(cursor, line, "'finally' statement");
  });
}
