import { z } from "zod";
import { initTRPC, TRPCError } from "@trpc/server";
import {
  type AppErrorCode,
  fromWire,
  type InputIssue,
  makeTurns,
  refuseUnstorable,
  toWireOnce,
  type Turns,
} from "#packages/base";
import { makeLogger } from "#server/config/logger.ts";
import { serveRequester } from "#server/config/requester.ts";
import { noteChange } from "#server/db/people/changes.ts";
import type { Database } from "#server/db/storage/client.ts";
import type { Notifications } from "#server/db/storage/notifications.ts";
import { isAnalysis } from "#server/domain/analysis/analyses.ts";
import { subjectOf } from "#server/domain/people/changes.ts";
import type { Access } from "#server/domain/people/access.ts";
import type { Analyst } from "./analyst/analyst.ts";

export type { AnalysisInput, AnalysisResult } from "./analyst/analyst.ts";
import { type Caller, nameCaller, refuseCaller, requesterOf } from "./people/caller.ts";
import { toProblem } from "./problem.ts";

const log = makeLogger("api");

/** Schema of a non-negative 32-bit integer: ids, seeds, attempts, iterations. */
export const Int4 = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);

/** Schema of the seconds in which a request can be undone before it is executed; if absent, it is executed at once. */
export const UndoSeconds = z.int().min(0).max(60).exactOptional();

export type Meta = { access: Access };

const trpc = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    transformer: { serialize: toWireOnce, deserialize: fromWire },
    // Errors of subscriptions, or before a procedure starts, must not reveal internal details either.
    errorFormatter: ({ shape, error }) => ({
      ...shape,
      message: error.code === "INTERNAL_SERVER_ERROR" ? toProblem(error.cause).message : shape.message,
      data: { ...shape.data, issues: issuesOf(error), stack: undefined },
    }),
    sse: { ping: { enabled: true, intervalMs: 10_000 }, client: { reconnectAfterInactivityMs: 25_000 } },
  });

export const { router, createCallerFactory } = trpc;

/** Rejects unknown callers, checks role and scopes, and accepts changes only from the studio's own pages. */
const protectedProcedure = trpc.procedure.use(async ({ ctx, type, path, meta, next, getRawInput, signal }) => {
  if (!meta) throw new TRPCError({ code: "INTERNAL_SERVER_ERROR", message: `${path} does not say whom it is for` });
  const refused = refuseCaller(ctx.caller, { access: meta.access, isChange: type === "mutation" });
  if (refused) {
    throw new TRPCError({ code: refused.status === 401 ? "UNAUTHORIZED" : "FORBIDDEN", message: refused.message });
  }
  const input = await getRawInput();
  refuseBadText(input);
  const requester = requesterOf(ctx.caller);
  const perform = () => serveRequester(requester, next);
  // A stream would keep its turn for hours, and analyses have queues of their own.
  const isQueued = type === "subscription" || isAnalysis(path);
  const result = await (isQueued ? perform() : turnsOfCalls().take(new Set([requester]), perform, signal));
  if (type === "mutation" && result.ok) ctx.analyst.renew();
  const refusal = result.ok ? undefined : toTransportError(result.error);
  if (type === "mutation" && meta.access !== "view") {
    const made = path.startsWith("sweep.") && result.ok ? result.data : undefined;
    await noteMutation(ctx, { path, input, made, refusal });
  }
  if (refusal) throw refusal;
  return result;
});

/** Base of procedures for every known caller. They only read data, or compute results without storing them. */
export const viewing = protectedProcedure.meta({ access: "view" });
export const changing = protectedProcedure.meta({ access: "change" });
export const sharing = protectedProcedure.meta({ access: "share" });
export const deciding = protectedProcedure.meta({ access: "own" });
export const administering = protectedProcedure.meta({ access: "administer" });

declare global {
  // Next.js loads a module once per bundle, and calls of all bundles share the connections to the database.
  var arlarenaCalls: Turns | undefined;
}

/** Calls of one person that are performed at a time: fewer than the web process has connections to the database. */
const maxCallsPerPerson = 5;
const maxWaitingCalls = 1000;

function turnsOfCalls(): Turns {
  globalThis.arlarenaCalls ??= makeTurns({
    atOnce: Infinity,
    atOncePerPerson: maxCallsPerPerson,
    maxWaiting: maxWaitingCalls,
    describeRefusal: (numOwn) =>
      `${maxWaitingCalls} calls wait, ${numOwn} of them yours, the limit is ${maxWaitingCalls}: try again in a few seconds`,
  });
  return globalThis.arlarenaCalls;
}

/** `made`: answer of a performed mutation, which has the id of a launched sweep. */
type Mutation = { path: string; input: unknown; made: unknown; refusal: TRPCError | undefined };

/** Notes a mutation in the log of changes, executed or refused, unless its input is invalid. A failure is only logged. */
async function noteMutation({ database, caller }: Context, { path, input, made, refusal }: Mutation): Promise<void> {
  if (refusal?.code === "BAD_REQUEST") return;
  const entry = {
    who: nameCaller(caller),
    action: path,
    subject: subjectOf(input, made),
    problem: refusal?.message ?? null,
  };
  await noteChange(database.pool, entry).catch((error: unknown) =>
    log.error("the log of changes lacks one", { path, problem: String(error) }),
  );
}

function refuseBadText(input: unknown): void {
  try {
    refuseUnstorable(input);
  } catch (cause) {
    throw toTransportError(new TRPCError({ code: "BAD_REQUEST", cause }));
  }
}

const codes: Record<AppErrorCode, TRPCError["code"]> = {
  bad_input: "BAD_REQUEST",
  not_found: "NOT_FOUND",
  conflict: "CONFLICT",
  too_large: "PAYLOAD_TOO_LARGE",
  too_many: "TOO_MANY_REQUESTS",
  unavailable: "SERVICE_UNAVAILABLE",
  internal: "INTERNAL_SERVER_ERROR",
};

/** Converts the application's errors to tRPC errors; tRPC's own errors keep their code and message. */
export function toTransportError(error: TRPCError): TRPCError {
  const { cause } = error;
  if (cause === undefined || cause instanceof TRPCError) return error;
  const { code, message } = toProblem(cause);
  if (code === "internal" && error.code !== "INTERNAL_SERVER_ERROR") return error;
  return new TRPCError({ code: codes[code], message, cause });
}

/** Returns the errors of single input fields, which HTML forms read as `error.data.issues`. */
function issuesOf({ cause }: TRPCError): readonly InputIssue[] {
  return cause === undefined ? [] : toProblem(cause).issues;
}

/** Context that every procedure receives, built from the request's cookie and headers (app/_trpc/context.server.ts). */
export type Context = {
  database: Database;
  notifications: Notifications;
  /** Service that performs analyses (computations beyond reading rows) in separate processes. */
  analyst: Analyst;
  caller: Caller;
};
