import { parseArguments } from "./arguments.ts";
import type { Clause, Expression } from "./ast.ts";
import { attempt, nested, peek, remembered, sees, separated, take, type Cursor } from "./cursor.ts";
import { diagnoseComprehension, diagnoseForTarget, diagnoseGroup, diagnosePairs } from "./diagnoseDisplay.ts";
import { parseStrings } from "./strings.ts";

/** An atom and all that is called, indexed or looked up on it. */
export const parsePrimary = remembered((cursor): Expression | undefined => {
  let primary = parseAtom(cursor);
  while (primary !== undefined) {
    const next: Expression | undefined = parseTrailer(cursor, primary);
    if (next === undefined) break;
    primary = next;
  }
  return primary;
});

function parseTrailer(cursor: Cursor, object: Expression): Expression | undefined {
  const { kind, text } = peek(cursor);
  if (kind !== "op") return undefined;
  return attempt(cursor, () => {
    switch (text) {
      case ".": {
        cursor.at++;
        const { kind: nameKind, text: name } = peek(cursor);
        if (nameKind !== "name") return undefined;
        cursor.at++;
        return { kind: "attribute", object, name };
      }
      case "(":
        return parseCall(cursor, object);
      case "[": {
        cursor.at++;
        const index = nested(cursor, () => parseSlices(cursor));
        return index && take(cursor, "]") ? { kind: "subscript", object, index } : undefined;
      }
      default:
        return undefined;
    }
  });
}

function parseCall(cursor: Cursor, callee: Expression): Expression | undefined {
  return nested(cursor, () => {
    const generator = parseGenerator(cursor);
    if (generator !== undefined) {
      return { kind: "call", callee, args: [{ kind: "positional", name: "", value: generator }] };
    }
    cursor.at++;
    if (take(cursor, ")")) return { kind: "call", callee, args: [] };
    const args = parseArguments(cursor, parseClauses);
    return args && take(cursor, ")") ? { kind: "call", callee, args } : undefined;
  });
}

/** `(element for …)`, alone between its parentheses */
function parseGenerator(cursor: Cursor): Expression | undefined {
  const start = cursor.at;
  const found = attempt(cursor, () => {
    if (!take(cursor, "(")) return undefined;
    const element = parseElement(cursor);
    const clauses = element && parseClauses(cursor);
    return element && clauses && take(cursor, ")")
      ? ({ kind: "comprehension", form: "generator", element, value: undefined, clauses } as const)
      : undefined;
  });
  if (found === undefined && cursor.invalidRules) {
    cursor.at = start;
    diagnoseComprehension(cursor, parseClauses);
  }
  return found;
}

/** `name := value`, or an expression that no `:=` follows */
function parseElement(cursor: Cursor): Expression | undefined {
  if (peek(cursor).kind === "name" && peek(cursor, 1).text === ":=") return cursor.rules.named(cursor);
  const element = cursor.rules.expression(cursor);
  return sees(cursor, ":=") ? undefined : element;
}

function parseSlices(cursor: Cursor): Expression | undefined {
  const first = parseSlice(cursor);
  if (first === undefined) return undefined;
  if (!sees(cursor, ",")) return first.kind === "starred" ? { kind: "tuple", elements: [first] } : first;
  const elements = [first];
  while (take(cursor, ",")) {
    const next = parseSlice(cursor);
    if (next === undefined) break;
    elements.push(next);
  }
  return { kind: "tuple", elements };
}

function parseSlice(cursor: Cursor): Expression | undefined {
  const { rules } = cursor;
  const slice = attempt(cursor, (): Expression | undefined => {
    const start = rules.expression(cursor);
    if (!take(cursor, ":")) return undefined;
    const stop = rules.expression(cursor);
    const step = take(cursor, ":") ? rules.expression(cursor) : undefined;
    return { kind: "slice", parts: [start, stop, step] };
  });
  return slice ?? rules.starNamed(cursor);
}

export function parseAtom(cursor: Cursor): Expression | undefined {
  const { kind, text } = peek(cursor);
  switch (kind) {
    case "name":
      cursor.at++;
      return { kind: "name", id: text };
    case "number":
      cursor.at++;
      return { kind: "number", text };
    case "string":
      return parseStrings(cursor);
    case "keyword":
      if (text !== "True" && text !== "False" && text !== "None") return undefined;
      cursor.at++;
      return { kind: "constant", value: text };
    case "op":
      return nested(cursor, () => parseBracketed(cursor, text));
    default:
      return undefined;
  }
}

function parseBracketed(cursor: Cursor, text: string): Expression | undefined {
  switch (text) {
    case "(":
      return parseParenthesised(cursor);
    case "[":
      return parseListDisplay(cursor);
    case "{":
      return parseBraced(cursor);
    case "...":
      cursor.at++;
      return { kind: "constant", value: "..." };
    default:
      return undefined;
  }
}

function parseParenthesised(cursor: Cursor): Expression | undefined {
  return (
    attempt(cursor, () => (take(cursor, "(") ? parseTuple(cursor) : undefined)) ??
    attempt(cursor, () => {
      const value = take(cursor, "(") ? (cursor.rules.yield(cursor) ?? cursor.rules.named(cursor)) : undefined;
      return value && take(cursor, ")") ? value : undefined;
    }) ??
    (cursor.invalidRules ? diagnoseGroup(cursor) : undefined) ??
    parseGenerator(cursor)
  );
}

function parseTuple(cursor: Cursor): Expression | undefined {
  if (take(cursor, ")")) return { kind: "tuple", elements: [] };
  const first = cursor.rules.starNamed(cursor);
  if (first === undefined || !take(cursor, ",")) return undefined;
  const elements = [first, ...separated(cursor, () => cursor.rules.starNamed(cursor))];
  if (elements.length > 1) take(cursor, ",");
  return take(cursor, ")") ? { kind: "tuple", elements } : undefined;
}

function parseListDisplay(cursor: Cursor): Expression | undefined {
  const display = attempt(cursor, () => {
    cursor.at++;
    const elements = parseElements(cursor);
    return take(cursor, "]") ? ({ kind: "list", elements } as const) : undefined;
  });
  return display ?? parseComprehension(cursor, "list");
}

function parseElements(cursor: Cursor): Expression[] {
  const elements = separated(cursor, () => cursor.rules.starNamed(cursor));
  if (elements.length > 0) take(cursor, ",");
  return elements;
}

const closings = { list: "]", set: "}" } as const;

function parseComprehension(cursor: Cursor, form: "list" | "set"): Expression | undefined {
  const start = cursor.at;
  const found = attempt(cursor, () => {
    cursor.at++;
    const element = cursor.rules.named(cursor);
    const clauses = element && parseClauses(cursor);
    return element && clauses && take(cursor, closings[form])
      ? ({ kind: "comprehension", form, element, value: undefined, clauses } as const)
      : undefined;
  });
  if (found === undefined && cursor.invalidRules) {
    cursor.at = start;
    diagnoseComprehension(cursor, parseClauses);
  }
  return found;
}

function parseBraced(cursor: Cursor): Expression | undefined {
  return parseDict(cursor) ?? parseSet(cursor) ?? parseDictComprehension(cursor) ?? parseComprehension(cursor, "set");
}

type Entry = { key: Expression | undefined; value: Expression };

function parseDict(cursor: Cursor): Expression | undefined {
  const start = cursor.at;
  const found = attempt(cursor, () => {
    cursor.at++;
    const entries = separated(cursor, () => parseEntry(cursor));
    if (entries.length > 0) take(cursor, ",");
    return take(cursor, "}") ? ({ kind: "dict", entries } as const) : undefined;
  });
  if (found === undefined && cursor.invalidRules) {
    cursor.at = start;
    diagnosePairs(cursor, parseEntry);
  }
  return found;
}

function parseEntry(cursor: Cursor): Entry | undefined {
  return attempt(cursor, () => {
    if (take(cursor, "**")) {
      const value = cursor.rules.bitwiseOr(cursor);
      return value && { key: undefined, value };
    }
    const key = cursor.rules.expression(cursor);
    const value = key && take(cursor, ":") ? cursor.rules.expression(cursor) : undefined;
    return value && { key, value };
  });
}

function parseSet(cursor: Cursor): Expression | undefined {
  return attempt(cursor, () => {
    cursor.at++;
    const elements = parseElements(cursor);
    return elements.length > 0 && take(cursor, "}") ? { kind: "set", elements } : undefined;
  });
}

function parseDictComprehension(cursor: Cursor): Expression | undefined {
  return attempt(cursor, () => {
    cursor.at++;
    const entry = parseEntry(cursor);
    const clauses = entry?.key && parseClauses(cursor);
    return entry?.key && clauses && take(cursor, "}")
      ? { kind: "comprehension", form: "dict", element: entry.key, value: entry.value, clauses }
      : undefined;
  });
}

/** One or more `for target in iterable if condition …`. */
export function parseClauses(cursor: Cursor): readonly Clause[] | undefined {
  const clauses: Clause[] = [];
  while (sees(cursor, "for")) {
    const clause = parseClause(cursor);
    if (clause === undefined) break;
    clauses.push(clause);
  }
  return clauses.length === 0 ? undefined : clauses;
}

function parseClause(cursor: Cursor): Clause | undefined {
  const start = cursor.at;
  const { rules } = cursor;
  let isCommitted = false;
  const clause = attempt(cursor, () => {
    if (!take(cursor, "for")) return undefined;
    const target = rules.target(cursor);
    if (target === undefined || !take(cursor, "in")) return undefined;
    isCommitted = true;
    const iterable = rules.disjunction(cursor);
    if (iterable === undefined) return undefined;
    const conditions: Expression[] = [];
    for (;;) {
      const condition = attempt(cursor, () => (take(cursor, "if") ? rules.disjunction(cursor) : undefined));
      if (condition === undefined) return { target, iterable, conditions };
      conditions.push(condition);
    }
  });
  if (clause === undefined && !isCommitted && cursor.invalidRules) {
    cursor.at = start;
    diagnoseForTarget(cursor);
  }
  return clause;
}
