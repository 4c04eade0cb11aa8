import type { Alias, BinaryOperator, Expression, Statement } from "./ast.ts";
import { attempt, peek, remembered, sees, seesKind, separated, take, takeKind, type Cursor } from "./cursor.ts";
import { diagnoseAssignment, diagnoseDelete, diagnoseImportTargets } from "./diagnoseStatement.ts";
import { isTarget, findInvalidTarget } from "./targets.ts";

/** One line of simple statements, separated by semicolons. */
export const parseSimpleStatements = remembered((cursor): readonly Statement[] | undefined => {
  const statements: Statement[] = [];
  do {
    const statement = parseSimple(cursor);
    if (statement === undefined) break;
    statements.push(statement);
  } while (take(cursor, ";"));
  return statements.length > 0 && takeKind(cursor, "newline") !== undefined ? statements : undefined;
});

const parseSimple = remembered((cursor): Statement | undefined => {
  const { kind, text } = peek(cursor);
  const rule = kind === "keyword" && Object.hasOwn(keywordRules, text) ? keywordRules[text] : undefined;
  if (rule === undefined) return parseExpressionStatement(cursor);
  return attempt(cursor, () => {
    cursor.at++;
    return rule(cursor);
  });
});

const keywordRules: Readonly<Record<string, (cursor: Cursor) => Statement | undefined>> = {
  return: (cursor) => ({ kind: "return", value: cursor.rules.starExpressions(cursor) }),
  raise: parseRaise,
  pass: () => ({ kind: "pass" }),
  break: () => ({ kind: "break" }),
  continue: () => ({ kind: "continue" }),
  del: parseDelete,
  assert: parseAssert,
  global: (cursor) => parseScope(cursor, "global"),
  nonlocal: (cursor) => parseScope(cursor, "nonlocal"),
  import: parseImport,
  from: parseImportFrom,
};

const augmented: Readonly<Record<string, BinaryOperator>> = {
  "+=": "+",
  "-=": "-",
  "*=": "*",
  "/=": "/",
  "//=": "//",
  "%=": "%",
  "**=": "**",
  "@=": "@",
  "&=": "&",
  "|=": "|",
  "^=": "^",
  "<<=": "<<",
  ">>=": ">>",
};

/** An assignment of any kind, or an expression alone. */
function parseExpressionStatement(cursor: Cursor): Statement | undefined {
  if (cursor.invalidRules) {
    const assignment = attempt(cursor, () => {
      const target = cursor.rules.target(cursor);
      return target && parseAssignment(cursor, target);
    });
    if (assignment !== undefined) return assignment;
    diagnoseAssignment(cursor);
  }
  const value = cursor.rules.starExpressions(cursor) ?? cursor.rules.yield(cursor);
  if (value === undefined) return undefined;
  return (
    (isTarget(value) ? attempt(cursor, () => parseAssignment(cursor, value)) : undefined) ?? {
      kind: "expression",
      value,
    }
  );
}

function parseAssignment(cursor: Cursor, target: Expression): Statement | undefined {
  const { kind, text } = peek(cursor);
  if (kind !== "op") return undefined;
  if (text === "=") return parseAssigned(cursor, target);
  if (target.kind === "tuple" || target.kind === "list" || target.kind === "starred") return undefined;
  if (text === ":") return parseAnnotation(cursor, target);
  const operator = augmented[text];
  if (operator === undefined) return undefined;
  cursor.at++;
  const value = parseValue(cursor);
  return value && { kind: "augment", target, operator, value };
}

function parseAssigned(cursor: Cursor, first: Expression): Statement | undefined {
  const targets = [first];
  while (take(cursor, "=")) {
    const target = cursor.isDiagnosing ? attempt(cursor, () => parseTargetBefore(cursor)) : undefined;
    const value = target ?? parseValue(cursor);
    if (value === undefined) return undefined;
    if (!sees(cursor, "=")) return { kind: "assign", targets, value };
    if (!isTarget(value)) return undefined;
    targets.push(value);
  }
  return undefined;
}

function parseTargetBefore(cursor: Cursor): Expression | undefined {
  const target = cursor.rules.target(cursor);
  return target && sees(cursor, "=") ? target : undefined;
}

function parseValue(cursor: Cursor): Expression | undefined {
  return cursor.rules.yield(cursor) ?? cursor.rules.starExpressions(cursor);
}

function parseAnnotation(cursor: Cursor, target: Expression): Statement | undefined {
  cursor.at++;
  if (cursor.rules.expression(cursor) === undefined) return undefined;
  const value = attempt(cursor, () => (take(cursor, "=") ? parseValue(cursor) : undefined));
  return { kind: "annotate", target, value };
}

function parseRaise(cursor: Cursor): Statement | undefined {
  const value = cursor.rules.expression(cursor);
  if (value === undefined || !take(cursor, "from")) return { kind: "raise", value, cause: undefined };
  const cause = cursor.rules.expression(cursor);
  return cause && { kind: "raise", value, cause };
}

function parseDelete(cursor: Cursor): Statement | undefined {
  const start = cursor.at;
  const target = cursor.rules.target(cursor);
  const isAlone = target !== undefined && (sees(cursor, ";") || seesKind(cursor, "newline"));
  if (isAlone && findInvalidTarget(target, "delete") === undefined) {
    return { kind: "delete", targets: target.kind === "tuple" ? target.elements : [target] };
  }
  cursor.at = start;
  if (cursor.invalidRules) diagnoseDelete(cursor);
  return undefined;
}

function parseAssert(cursor: Cursor): Statement | undefined {
  const test = cursor.rules.expression(cursor);
  if (test === undefined || !take(cursor, ",")) return test && { kind: "assert", test, message: undefined };
  const message = cursor.rules.expression(cursor);
  return message && { kind: "assert", test, message };
}

function parseScope(cursor: Cursor, kind: "global" | "nonlocal"): Statement | undefined {
  const names = separated(cursor, () => takeKind(cursor, "name")?.text);
  return names.length > 0 ? { kind, names } : undefined;
}

function parseImport(cursor: Cursor): Statement | undefined {
  const modules = separated(cursor, () => parseAlias(cursor, parseDottedName));
  return modules.length > 0 ? { kind: "import", modules } : undefined;
}

function parseImportFrom(cursor: Cursor): Statement | undefined {
  let module = "";
  for (; sees(cursor, ".") || sees(cursor, "..."); cursor.at++) module += peek(cursor).text;
  module += parseDottedName(cursor) ?? "";
  if (module === "" || !take(cursor, "import")) return undefined;
  if (take(cursor, "*")) return { kind: "importFrom", module, names: [{ name: "*", as: undefined }] };
  const names = parseImportedNames(cursor);
  return names && { kind: "importFrom", module, names };
}

function parseImportedNames(cursor: Cursor): readonly Alias[] | undefined {
  const takeAlias = (): Alias | undefined => parseAlias(cursor, (inner) => takeKind(inner, "name")?.text);
  if (take(cursor, "(")) {
    const names = separated(cursor, takeAlias);
    take(cursor, ",");
    return names.length > 0 && take(cursor, ")") ? names : undefined;
  }
  const names = separated(cursor, takeAlias);
  if (names.length > 0 && sees(cursor, ",") && cursor.invalidRules) diagnoseImportTargets(cursor);
  return names.length > 0 && !sees(cursor, ",") ? names : undefined;
}

function parseAlias(cursor: Cursor, parseName: (cursor: Cursor) => string | undefined): Alias | undefined {
  const name = parseName(cursor);
  if (name === undefined) return undefined;
  const as = attempt(cursor, () => (take(cursor, "as") ? takeKind(cursor, "name")?.text : undefined));
  return { name, as };
}

function parseDottedName(cursor: Cursor): string | undefined {
  let name = takeKind(cursor, "name")?.text;
  if (name === undefined) return undefined;
  for (;;) {
    const part = attempt(cursor, () => (take(cursor, ".") ? takeKind(cursor, "name")?.text : undefined));
    if (part === undefined) return name;
    name += `.${part}`;
  }
}
