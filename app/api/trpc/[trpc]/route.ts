import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { readText } from "#server/api/readText.ts";
import { appRouter } from "#server/api/root.ts";
import { AppError, formatCount } from "#packages/base";
import { maxBatch } from "#app/_trpc/batch.ts";
import { isKnown, makeContext } from "#app/_trpc/caller.server.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { onceEnded, readTicket } from "#app/_trpc/session.server.ts";

/** Maximum duration of a stream in ms; after it the client reconnects, and an expired session is noticed. */
const maxStreamMs = 3_600_000;
/** Maximum size of a request in bytes, twenty times that of the largest plan. */
const maxBytes = 2 * 1024 * 1024;

/** Interval in ms at which an open stream checks its caller, so that a removed person receives no further events. */
const knownEveryMs = 15_000;

const answer = makeRoute(async (request: Request) => {
  refuseLargeBatch(request);
  const ended = new AbortController();
  const bounded = request.method === "POST" ? await boundedInSize(request) : boundToSession(request, ended.signal);
  const response = await fetchRequestHandler({
    endpoint: "/api/trpc",
    req: bounded,
    router: appRouter,
    // Queries whose input is too long for a URL are sent as POST.
    allowMethodOverride: true,
    createContext: () => makeContext(request.headers),
    onError: ({ error, path }) => {
      if (error.code === "INTERNAL_SERVER_ERROR") console.error(`${path ?? "no procedure"}:`, error.cause ?? error);
    },
  });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (isStream) endOnceUnknown(bounded, ended);
  return response;
});

function refuseLargeBatch({ url }: Request): void {
  // A path may be encoded wrongly, which the handler refuses.
  const numCalls = new URL(url).pathname.split(/,|%2c/i).length;
  if (numCalls <= maxBatch) return;
  const message = `the request has ${formatCount(numCalls, "call")}, the limit is ${maxBatch}: send them in several requests`;
  throw new AppError("too_large", message);
}

/** Ends an open stream after its session, token or person was removed, for example by another process. */
function endOnceUnknown({ headers, signal }: Request, ended: AbortController): void {
  const timer = setInterval(() => {
    isKnown(headers).then(
      (known) => known || ended.abort(),
      // A database error does not end the stream: the caller may still be known.
      () => undefined,
    );
  }, knownEveryMs).unref();
  signal.addEventListener("abort", () => clearInterval(timer));
}

async function boundedInSize(request: Request): Promise<Request> {
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: await readText(request, maxBytes) });
}

/** Returns the request with a signal that also aborts when the caller's session ends or after `maxStreamMs`. */
function boundToSession(request: Request, ended: AbortSignal): Request {
  const ticket = readTicket(request.headers);
  const signals = [request.signal, ended, AbortSignal.timeout(maxStreamMs), ...(ticket ? [onceEnded(ticket)] : [])];
  return new Request(request, { signal: AbortSignal.any(signals) });
}

export { answer as GET, answer as POST };
