import { DatabaseError } from "pg";

/** Whether PostgreSQL refused a value (out of range, not text, too long to index), as opposed to being out of order. */
export function isDataError(error: unknown): error is Error {
  return error instanceof DatabaseError && /^(22|54)/.test(error.code ?? "");
}
