import { refuseCaller, type Caller } from "#server/api/caller.ts";
import { isSameOrigin } from "#server/api/origin.ts";
import { readApiToken } from "#server/db/apiTokens.ts";
import { answerJson } from "./route.server.ts";
import { services } from "./services.server.ts";
import { isSignedIn } from "./session.server.ts";

/** Who sent a request. The token in its Authorization header decides; the session cookie counts where there is no such header. */
export async function readCaller(headers: Headers): Promise<Caller> {
  const authorization = headers.get("authorization");
  if (authorization === null) {
    return (await isSignedIn(headers))
      ? { kind: "session", isSameOrigin: isSameOrigin(headers) }
      : { kind: "stranger" };
  }
  const token = /^Bearer (\S+)$/i.exec(authorization)?.[1];
  const valid = token === undefined ? undefined : await readApiToken(services().database, token);
  if (valid) return { kind: "token", ...valid };
  return { kind: "stranger", reason: "This token is not valid, or not any more: npx arlarena token makes one" };
}

/** The answer to a request that may not read or write; undefined where it may. */
export async function refuseRequest(request: Request, needed: "read" | "write"): Promise<Response | undefined> {
  const refusal = refuseCaller(await readCaller(request.headers), needed);
  if (!refusal) return undefined;
  const response = answerJson(refusal.status, { problem: refusal.message });
  if (refusal.status === 401) response.headers.set("www-authenticate", "Bearer");
  return response;
}
