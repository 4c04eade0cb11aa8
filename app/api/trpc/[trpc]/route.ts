import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { appRouter } from "#server/api/root.ts";
import { makeContext } from "#app/_trpc/context.server.ts";

function answer(request: Request): Promise<Response> {
  return fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    createContext: () => makeContext(request.headers),
  });
}

export { answer as GET, answer as POST };
