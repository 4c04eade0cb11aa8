import { setTimeout } from "node:timers/promises";
import { sayStart } from "#server/config/startCommand.ts";
import { AppError } from "#packages/base";
import { serveRequester } from "#server/config/requester.ts";
import { callerAddress } from "#server/api/people/caller.ts";
import { isKnownHost } from "#server/api/origin.ts";
import { httpStatuses, toProblem } from "#server/api/problem.ts";
import { readText } from "#server/api/readText.ts";
import { whileRead } from "#server/db/storage/client.ts";

type Handler<Props> = (request: Request, props: Props) => Response | Promise<Response>;

/** Wraps a route handler: refuses unknown hosts, and turns an error into a status with `{ problem }`. */
export function makeRoute<Props>(handle: Handler<Props>): Handler<Props> {
  return async (request, props) => {
    if (!isKnownHost(request.headers.get("host") ?? new URL(request.url).host, configuredHosts())) return refuseHost();
    const serve = () => serveRequester(`address ${callerAddress(request.headers)}`, () => handle(request, props));
    try {
      return await slowDown(await (request.method === "GET" ? whileRead(request.signal, serve) : serve()));
    } catch (error) {
      // The client has disconnected; servers log this with status 499.
      if (request.signal.aborted) return new Response(null, { status: 499 });
      const { code, message } = toProblem(error);
      if (code === "internal") console.error(error);
      return slowDown(answerJson(httpStatuses[code], { problem: message }));
    }
  };
}

const slowedStatuses: ReadonlySet<number> = new Set([413, 429]);
const slowedMs = 1000;

/** Delays the refusal of too much or too many, so that a program that repeats it at once does not occupy the server. */
async function slowDown(response: Response): Promise<Response> {
  if (slowedStatuses.has(response.status)) await setTimeout(slowedMs);
  return response;
}

export function answerJson(status: number, body: unknown): Response {
  return Response.json(body, { status });
}

export function refuseHost(): Response {
  return new Response(`Unknown host. Open the address that \`${sayStart()}\` printed.\n`, { status: 421 });
}

export function configuredHosts(): string[] {
  return (process.env["ARLARENA_HOSTS"] ?? "").split(",").filter(Boolean);
}

/** Maximum size of a form post. Requests contain only a token and a local path, so one kilobyte would suffice. */
const maxBytes = 16 * 1024;

/** Reads a form post; throws `bad_input` for a different content type, `too_large` beyond 16 kB. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "none";
  if (type !== "application/x-www-form-urlencoded") {
    throw new AppError("bad_input", `content-type ${type}: a form is application/x-www-form-urlencoded`);
  }
  return new URLSearchParams(await readText(request, maxBytes));
}
