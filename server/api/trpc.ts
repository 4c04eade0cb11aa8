import { initTRPC, TRPCError } from "@trpc/server";
import { z } from "zod";
import { AppError, type AppErrorCode, type InputIssue } from "../domain/errors.ts";
import { fromWire, toWire } from "../domain/wire.ts";
import type { Context } from "./context.ts";

const trpc = initTRPC.context<Context>().create({
  transformer: { serialize: toWire, deserialize: fromWire },
  errorFormatter: ({ shape, error }) => ({
    ...shape,
    data: { ...shape.data, issues: issuesOf(error), stack: undefined },
  }),
  sse: { ping: { enabled: true, intervalMs: 10_000 }, client: { reconnectAfterInactivityMs: 25_000 } },
});

export const { router, createCallerFactory } = trpc;

/** The only procedure there is: who is not signed in gets nothing, and a mutation must come from our own pages. */
export const protectedProcedure = trpc.procedure.use(async ({ ctx, type, next }) => {
  if (!ctx.isSignedIn) throw new TRPCError({ code: "UNAUTHORIZED", message: "Sign in first" });
  if (type === "mutation" && !ctx.isSameOrigin) {
    throw new TRPCError({ code: "FORBIDDEN", message: "This request does not come from one of our own pages" });
  }
  const result = await next();
  if (!result.ok) throw toTransportError(result.error);
  return result;
});

const codes: Record<AppErrorCode, TRPCError["code"]> = {
  bad_input: "BAD_REQUEST",
  not_found: "NOT_FOUND",
  conflict: "CONFLICT",
  unavailable: "SERVICE_UNAVAILABLE",
  internal: "INTERNAL_SERVER_ERROR",
};

/** The one place where our errors become the transport's. */
export function toTransportError(error: TRPCError): TRPCError {
  const { cause } = error;
  if (cause instanceof AppError) return new TRPCError({ code: codes[cause.code], message: cause.message, cause });
  if (cause instanceof z.ZodError) {
    const message = issuesOf(error)
      .map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
      .join("\n");
    return new TRPCError({ code: "BAD_REQUEST", message, cause });
  }
  if (isConnectionLost(cause)) {
    const message = "The database does not answer; nothing was changed. Trying again in a moment may help.";
    return new TRPCError({ code: "SERVICE_UNAVAILABLE", message, cause });
  }
  return error;
}

/** What is wrong with which field, for forms: `error.data.issues`. */
function issuesOf({ cause }: TRPCError): readonly InputIssue[] {
  if (cause instanceof AppError) return cause.issues;
  if (cause instanceof z.ZodError) {
    return cause.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  }
  return [];
}

// Network refusals (Node), shutdowns (PostgreSQL class 57), unreachable or closed (Prisma).
const lost = /^(ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|57P0|08\d\d\d|P1001|P1002|P1008|P1017|P2024)/;

function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return lost.test(code) || error.message.startsWith("Connection terminated") || isConnectionLost(error.cause);
}
