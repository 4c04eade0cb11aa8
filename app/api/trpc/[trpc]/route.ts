import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { readText } from "#server/api/readText.ts";
import { appRouter } from "#server/api/root.ts";
import { makeContext } from "#app/_trpc/context.server.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { onceEnded } from "#app/_trpc/session.server.ts";
import { readTicket } from "#app/_trpc/ticket.server.ts";

/** Streams are opened anew after so long, so that a session that has expired meanwhile is found out. */
const maxStreamMs = 3_600_000;
/** Bytes of one message: the largest plan is a hundredth of it. */
const maxBytes = 8 * 1024 * 1024;

const answer = makeRoute(async (request: Request) => {
  const bounded = request.method === "POST" ? await boundedInSize(request) : boundToSession(request);
  return fetchRequestHandler({
    endpoint: "/api/trpc",
    req: bounded,
    router: appRouter,
    createContext: () => makeContext(request.headers),
    onError: ({ error, path }) => {
      if (error.code === "INTERNAL_SERVER_ERROR") console.error(`${path ?? "no procedure"}:`, error.cause ?? error);
    },
  });
});

async function boundedInSize(request: Request): Promise<Request> {
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: await readText(request, maxBytes) });
}

/** Subscriptions are GET requests; they end with their session. */
function boundToSession(request: Request): Request {
  const ticket = readTicket(request.headers);
  if (!ticket) return request;
  const signals = [request.signal, onceEnded(ticket), AbortSignal.timeout(maxStreamMs)];
  return new Request(request, { signal: AbortSignal.any(signals) });
}

export { answer as GET, answer as POST };
