import type { BinaryOperator, Comparison, Expression, Name } from "./ast.ts";
import { parsePrimary } from "./atoms.ts";
import { attempt, nested, peek, remembered, sees, take, takeKind, type Cursor } from "./cursor.ts";
import { diagnoseExpression, diagnoseNamed } from "./diagnoseExpression.ts";
import { parseParameters } from "./parameters.ts";

/** One or more expressions, stars allowed: a tuple where there is a comma. */
export function parseStarExpressions(cursor: Cursor): Expression | undefined {
  return parseList(cursor, parseStarExpression);
}

/** A display's elements, stars and assignments allowed, up to an optional last comma. */
export function parseList(cursor: Cursor, item: (cursor: Cursor) => Expression | undefined): Expression | undefined {
  const first = item(cursor);
  if (first === undefined || !sees(cursor, ",")) return first;
  const elements = [first];
  while (take(cursor, ",")) {
    const next = item(cursor);
    if (next === undefined) break;
    elements.push(next);
  }
  return { kind: "tuple", elements };
}

const parseStarExpression = remembered(
  (cursor): Expression | undefined => parseStarred(cursor) ?? parseExpression(cursor),
);

export const parseStarNamed = (cursor: Cursor): Expression | undefined => parseStarred(cursor) ?? parseNamed(cursor);

function parseStarred(cursor: Cursor): Expression | undefined {
  return attempt(cursor, () => {
    const value = take(cursor, "*") ? parseBinary(cursor, 0) : undefined;
    return value && { kind: "starred", value };
  });
}

export const parseNamed = remembered((cursor): Expression | undefined => {
  if (peek(cursor).kind === "name" && peek(cursor, 1).text === ":=") return parseAssignmentExpression(cursor);
  if (cursor.invalidRules) diagnoseNamed(cursor);
  const value = parseExpression(cursor);
  return sees(cursor, ":=") ? undefined : value;
});

/** `name := value` */
export function parseAssignmentExpression(cursor: Cursor): Expression | undefined {
  return attempt(cursor, () => {
    const target = takeName(cursor);
    const value = target && take(cursor, ":=") ? parseExpression(cursor) : undefined;
    return target && value && { kind: "named", target, value };
  });
}

export function takeName(cursor: Cursor): Name | undefined {
  const token = takeKind(cursor, "name");
  return token && { kind: "name", id: token.text };
}

export const parseExpression = remembered((cursor): Expression | undefined =>
  nested(cursor, () => {
    if (cursor.invalidRules) diagnoseExpression(cursor);
    return parseConditional(cursor) ?? parseLambda(cursor);
  }),
);

/** A conditional expression, or what it begins with. */
export function parseConditional(cursor: Cursor): Expression | undefined {
  const whenTrue = parseDisjunction(cursor);
  if (whenTrue === undefined || !sees(cursor, "if")) return whenTrue;
  return (
    attempt(cursor, () => {
      const test = take(cursor, "if") ? parseDisjunction(cursor) : undefined;
      const otherwise = test && take(cursor, "else") ? parseExpression(cursor) : undefined;
      return test && otherwise && { kind: "conditional", test, whenTrue, otherwise };
    }) ?? whenTrue
  );
}

export function parseLambda(cursor: Cursor): Expression | undefined {
  return attempt(cursor, () => {
    if (!take(cursor, "lambda")) return undefined;
    const parameters = parseParameters(cursor, ":");
    const body = take(cursor, ":") ? parseExpression(cursor) : undefined;
    return parameters && body && { kind: "lambda", parameters, body };
  });
}

export const parseDisjunction = remembered((cursor) => parseLogical(cursor, "or", parseConjunction));

function parseConjunction(cursor: Cursor): Expression | undefined {
  return parseLogical(cursor, "and", parseInversion);
}

function parseLogical(
  cursor: Cursor,
  operator: "and" | "or",
  parseOperand: (cursor: Cursor) => Expression | undefined,
): Expression | undefined {
  const first = parseOperand(cursor);
  if (first === undefined || !sees(cursor, operator)) return first;
  const operands = [first];
  for (;;) {
    const next = attempt(cursor, () => (take(cursor, operator) ? parseOperand(cursor) : undefined));
    if (next === undefined) break;
    operands.push(next);
  }
  return operands.length === 1 ? first : { kind: "logical", operator, operands };
}

function parseInversion(cursor: Cursor): Expression | undefined {
  if (!sees(cursor, "not")) return parseComparison(cursor);
  return nested(cursor, () =>
    attempt(cursor, () => {
      const operand = take(cursor, "not") ? parseInversion(cursor) : undefined;
      return operand && { kind: "unary", operator: "not", operand };
    }),
  );
}

function parseComparison(cursor: Cursor): Expression | undefined {
  const left = parseBinary(cursor, 0);
  if (left === undefined) return undefined;
  const rest: { operator: Comparison; right: Expression }[] = [];
  for (;;) {
    const next = attempt(cursor, () => {
      const operator = takeComparison(cursor);
      const right = operator && parseBinary(cursor, 0);
      return operator && right && { operator, right };
    });
    if (next === undefined) break;
    rest.push(next);
  }
  return rest.length === 0 ? left : { kind: "compare", left, rest };
}

const comparisons = ["<=", ">=", "==", "!=", "<", ">", "in"] as const;

function takeComparison(cursor: Cursor): Comparison | undefined {
  if (take(cursor, "not")) return take(cursor, "in") ? "not in" : undefined;
  if (take(cursor, "is")) return take(cursor, "not") ? "is not" : "is";
  return comparisons.find((operator) => take(cursor, operator));
}

const levels: readonly (readonly BinaryOperator[])[] = [
  ["|"],
  ["^"],
  ["&"],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "//", "%", "@"],
];

const levelOf: ReadonlyMap<string, { level: number; operator: BinaryOperator }> = new Map(
  levels.flatMap((operators, level) => operators.map((operator) => [operator, { level, operator }] as const)),
);

/** Operators that bind at least as tightly as a level, from `|` up; level 0 is the grammar's bitwise_or. */
export function parseBinary(cursor: Cursor, minLevel: number): Expression | undefined {
  let left = parseFactor(cursor);
  while (left !== undefined) {
    const token = peek(cursor);
    const found = token.kind === "op" ? levelOf.get(token.text) : undefined;
    if (found === undefined || found.level < minLevel) break;
    const right = attempt(cursor, () => (take(cursor, token.text) ? parseBinary(cursor, found.level + 1) : undefined));
    if (right === undefined) break;
    left = { kind: "binary", operator: found.operator, left, right };
  }
  return left;
}

const signs = ["-", "+", "~"] as const;

const parseFactor = remembered((cursor): Expression | undefined => {
  const operator = signs.find((sign) => sees(cursor, sign));
  if (operator === undefined) return parsePower(cursor);
  return nested(cursor, () =>
    attempt(cursor, () => {
      const operand = take(cursor, operator) ? parseFactor(cursor) : undefined;
      return operand && { kind: "unary", operator, operand };
    }),
  );
});

function parsePower(cursor: Cursor): Expression | undefined {
  const left = parseAwaited(cursor);
  if (left === undefined || !sees(cursor, "**")) return left;
  const right = attempt(cursor, () => (take(cursor, "**") ? nested(cursor, () => parseFactor(cursor)) : undefined));
  return right === undefined ? left : { kind: "binary", operator: "**", left, right };
}

function parseAwaited(cursor: Cursor): Expression | undefined {
  if (!sees(cursor, "await")) return parsePrimary(cursor);
  return attempt(cursor, () => {
    const value = take(cursor, "await") ? parsePrimary(cursor) : undefined;
    return value && { kind: "await", value };
  });
}

/** `yield`, `yield value` or `yield from iterable` */
export function parseYield(cursor: Cursor): Expression | undefined {
  return attempt(cursor, () => {
    if (!take(cursor, "yield")) return undefined;
    if (!take(cursor, "from")) return { kind: "yield", value: parseStarExpressions(cursor), isFrom: false };
    const value = parseExpression(cursor);
    return value && { kind: "yield", value, isFrom: true };
  });
}
