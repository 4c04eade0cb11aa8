import { readText } from "#server/api/readText.ts";
import { answerRest } from "#server/api/rest/answerRest.ts";
import { makeContext } from "#app/_trpc/caller.server.ts";
import { answerJson, makeRoute } from "#app/_trpc/route.server.ts";

type Props = { params: Promise<{ path?: string[] }> };

/** Maximum size of a request body in bytes, twenty times that of the largest plan. */
const maxBytes = 2 * 1024 * 1024;

/** Answers the REST API (public/schema/openapi.json): the same procedures as for pages, called with a token. */
const answer = makeRoute(async (request: Request, { params }: Props) => {
  const context = await makeContext(request.headers);
  const { path = [] } = await params;
  const { method } = request;
  const isWithBody = method !== "GET" && context.caller.kind !== "stranger";
  const asked = {
    method,
    path: path.join("/"),
    search: new URL(request.url).searchParams,
    body: isWithBody ? await readText(request, maxBytes) : "",
    signal: request.signal,
  };
  const { status, body, headers } = await answerRest(context, asked, request.headers.get("idempotency-key"));
  const response = answerJson(status, body);
  for (const [name, value] of Object.entries(headers ?? {})) response.headers.set(name, value);
  if (status === 401) response.headers.set("www-authenticate", "Bearer");
  return response;
});

export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT };
