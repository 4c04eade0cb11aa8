import { answerJson, makeRoute } from "#app/_trpc/route.server.ts";
import { isKnown } from "#app/_trpc/caller.server.ts";

/** Answers requests to unknown URLs below /api: programs get a sentence instead of an HTML page. */
const refuse = makeRoute(async (request: Request) => {
  if (!(await isKnown(request.headers))) return new Response("Sign in first\n", { status: 401 });
  return answerJson(404, { problem: "there is nothing at this address" });
});

export { refuse as DELETE, refuse as GET, refuse as PATCH, refuse as POST, refuse as PUT };
