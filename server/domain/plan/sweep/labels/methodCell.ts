import type { TableCell } from "#packages/tables";
import { latexOfMethod } from "./labels.ts";

export function methodCell(method: string): TableCell {
  const latex = latexOfMethod(method);
  return { kind: "text", text: method, ...(latex ? { latex } : {}) };
}
