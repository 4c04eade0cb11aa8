import type { Comprehension, Expression, Parameters, Statement } from "../syntax/ast.ts";

/** The expressions right below one, in the order of their evaluation. Bodies of functions are not among them. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "number":
    case "string":
    case "bytes":
    case "constant":
    case "name":
      return [];
    case "joined":
      return joinedParts(expression);
    case "tuple":
    case "list":
    case "set":
      return expression.elements;
    case "dict":
      return expression.entries.flatMap(({ key, value }) => (key === undefined ? [value] : [key, value]));
    case "unary":
      return [expression.operand];
    case "binary":
      return [expression.left, expression.right];
    case "compare":
      return [expression.left, ...expression.rest.map(({ right }) => right)];
    case "logical":
      return expression.operands;
    case "conditional":
      return [expression.test, expression.whenTrue, expression.otherwise];
    case "lambda":
      return defaultsOf(expression.parameters);
    case "call":
      return [expression.callee, ...expression.args.map(({ value }) => value)];
    case "attribute":
      return [expression.object];
    case "subscript":
      return [expression.object, expression.index];
    case "slice":
      return expression.parts.filter((part) => part !== undefined);
    case "starred":
    case "await":
      return [expression.value];
    case "named":
      return [expression.target, expression.value];
    case "yield":
      return expression.value === undefined ? [] : [expression.value];
    case "comprehension":
      return expression.clauses.slice(0, 1).map(({ iterable }) => iterable);
  }
}

function joinedParts({ parts }: Extract<Expression, { kind: "joined" }>): Expression[] {
  return parts.flatMap((part) =>
    part.kind === "text"
      ? []
      : [part.value, ...(part.format === undefined ? [] : joinedParts({ kind: "joined", parts: part.format }))],
  );
}

export function defaultsOf({ positional, keywordOnly }: Parameters): Expression[] {
  return [...positional, ...keywordOnly].flatMap(({ defaultValue }) =>
    defaultValue === undefined ? [] : [defaultValue],
  );
}

/** What a comprehension evaluates in a scope of its own: all but the first iterable. */
export function innerParts({ element, value, clauses }: Comprehension): readonly Expression[] {
  return [
    ...clauses.flatMap(({ target, iterable, conditions }, i) => [
      target,
      ...(i === 0 ? [] : [iterable]),
      ...conditions,
    ]),
    element,
    ...(value === undefined ? [] : [value]),
  ];
}

/** Names that parameters bind. */
export function parameterNames({ positional, rest, keywordOnly, keywordRest }: Parameters): readonly string[] {
  const named = [...positional, ...keywordOnly].map(({ name }) => name);
  return [...named, ...(rest === undefined ? [] : [rest]), ...(keywordRest === undefined ? [] : [keywordRest])];
}

/** The blocks of a statement that belong to the same scope. */
export function blocksOf(statement: Statement): readonly (readonly Statement[])[] {
  switch (statement.kind) {
    case "if":
      return [statement.whenTrue, statement.otherwise];
    case "while":
    case "for":
      return [statement.body, statement.otherwise];
    case "with":
      return [statement.body];
    case "try":
      return [statement.body, ...statement.handlers.map(({ body }) => body), statement.otherwise, statement.cleanup];
    default:
      return [];
  }
}
