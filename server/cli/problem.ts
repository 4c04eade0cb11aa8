import { AppError, formatIssue } from "#packages/base";
import type { Outcome } from "./command.ts";
import { toPlain } from "./views/columns.ts";

/** Formats an error as JSON `{ error: { code, message, issues } }` and as lines that start with the program's name. */
export function toErrorOutcome(error: unknown, exitCode: 1 | 2): Outcome {
  const known = error instanceof AppError ? error : toAppError(error);
  const { code, message, issues } = known;
  const lines = issues.length > 0 ? issues.map(formatIssue) : message.split("\n");
  const text = lines.map((line) => `arlarena: ${toPlain(line)}`).join("\n");
  return { text, json: { error: { code, message, issues } }, exitCode };
}

function toAppError(cause: unknown): AppError {
  if (cause instanceof Error && isConnectionLost(cause)) {
    return new AppError("unavailable", "the database stopped answering; try again in a moment", { cause });
  }
  return new AppError("internal", cause instanceof Error ? cause.message : String(cause), { cause });
}

/** Returns false for a failed query. Codes: network, PostgreSQL classes 57 (shutdown) and 08, Prisma's P1. */
export function isConnectionLost(error: Error): boolean {
  const code = "code" in error ? String(error.code) : "";
  if (/^(ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|57P0|08\d\d\d|P10)/.test(code)) return true;
  if (/^(Connection terminated|timeout exceeded when trying to connect)/.test(error.message)) return true;
  return error.cause instanceof Error && isConnectionLost(error.cause);
}

/** Performs a command that reads a file named by the user. An invalid file or name is a usage error (exit code 2). */
export async function answerInput(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    return toErrorOutcome(error, error instanceof AppError && error.code !== "internal" ? 2 : 1);
  }
}
