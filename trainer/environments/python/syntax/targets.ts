import { nameOf, type Expression } from "./ast.ts";
import { SyntaxFault } from "./token.ts";

/** Whether a value can be assigned to what an expression says. */
export function isTarget(expression: Expression): boolean {
  return findInvalidTarget(expression, "assign") === undefined;
}

/** Throws what CPython says of the first part that cannot be assigned to, if there is one. */
export function requireTarget(expression: Expression, use: "assign" | "for" | "delete"): void {
  const invalid = findInvalidTarget(expression, use);
  if (invalid === undefined) return;
  throw new SyntaxFault(`cannot ${use === "delete" ? "delete" : "assign to"} ${nameOf(invalid)}`);
}

export function findInvalidTarget(expression: Expression, use: "assign" | "for" | "delete"): Expression | undefined {
  switch (expression.kind) {
    case "tuple":
    case "list":
      for (const element of expression.elements) {
        const invalid = findInvalidTarget(element, use);
        if (invalid !== undefined) return invalid;
      }
      return undefined;
    case "starred":
      return use === "delete" ? expression : findInvalidTarget(expression.value, use);
    case "compare":
      // `for x in values` reads as a comparison; what counts is what stands before `in`.
      if (use !== "for") return expression;
      return expression.rest[0]?.operator === "in" ? findInvalidTarget(expression.left, use) : undefined;
    case "name":
    case "attribute":
    case "subscript":
      return undefined;
    default:
      return expression;
  }
}
