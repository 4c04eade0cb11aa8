import { DatabaseError } from "pg";

/**
 * True where PostgreSQL rejected a value (out of range, invalid text, too long to index) rather than being unavailable.
 */
export function isDataError(error: unknown): error is Error {
  return error instanceof DatabaseError && /^(22|54)/.test(error.code ?? "");
}
