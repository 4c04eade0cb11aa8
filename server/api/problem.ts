import { z } from "zod";
import { isDiskFull } from "#trainer/spec/diskFull.ts";
import { AppError, formatIssue, type AppErrorCode, type InputIssue } from "#packages/base";

/** An error as callers see it: without paths, queries or library names. */
export type Problem = { code: AppErrorCode; message: string; issues: readonly InputIssue[] };

/** Converts any error to the problem that the caller receives. Details of an unexpected error are not revealed. */
export function toProblem(error: unknown): Problem {
  if (error instanceof AppError && error.code !== "internal") {
    return { code: error.code, message: error.message, issues: error.issues };
  }
  if (error instanceof z.ZodError) {
    const issues = error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
    return { code: "bad_input", message: issues.map(formatIssue).join("\n"), issues };
  }
  if (hasNoRoom(error)) {
    const message =
      "The disk of the studio's server is full. Nothing was changed, and runs wait until disk space is free. The page Nodes shows the free space.";
    return { code: "unavailable", message, issues: [] };
  }
  if (isConnectionLost(error)) {
    const message = "The studio's database does not answer, so nothing was changed. Try again in a moment.";
    return { code: "unavailable", message, issues: [] };
  }
  if (error instanceof Error && error.message.startsWith("no process for ")) {
    const message =
      "The studio could not start a process for this request, perhaps because its server is short of memory. Try again in a moment.";
    return { code: "unavailable", message, issues: [] };
  }
  const message =
    "Something went wrong in the studio. The file logs/web.log in the studio's state folder has the details.";
  return { code: "internal", message, issues: [] };
}

export const httpStatuses: Record<AppErrorCode, number> = {
  bad_input: 400,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  too_many: 429,
  internal: 500,
  unavailable: 503,
};

// True if the disk of the studio, PostgreSQL (53100) or another process (known by its message) is full.
function hasNoRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : undefined;
  return (
    code === "53100" || /no space left on device/i.test(error.message) || isDiskFull(error) || hasNoRoom(error.cause)
  );
}

// Codes of lost connections: network errors (Node.js), shutdowns (PostgreSQL class 57), unreachable or closed (Prisma).
const lost = /^(ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|57P0|08\d\d\d|P1001|P1002|P1008|P1017|P2024)/;

function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  if (lost.test(code) || /^(Connection terminated|timeout exceeded when trying to connect)/.test(error.message)) {
    return true;
  }
  return isConnectionLost(error.cause);
}
