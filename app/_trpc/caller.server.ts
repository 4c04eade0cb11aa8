import { refuseCaller, type Asked, type Caller } from "#server/api/caller.ts";
import { isSameOrigin } from "#server/api/origin.ts";
import { readApiToken } from "#server/db/apiTokens.ts";
import { answerJson } from "./route.server.ts";
import { services } from "./services.server.ts";
import { readSession } from "./session.server.ts";

/** Who sent a request. The token in its Authorization header decides; the session cookie counts where there is no such header. */
export async function readCaller(headers: Headers): Promise<Caller> {
  const authorization = headers.get("authorization");
  if (authorization === null) {
    const session = await readSession(headers);
    if (!session) return { kind: "stranger" };
    return { kind: "session", isSameOrigin: isSameOrigin(headers), person: session.person };
  }
  const token = /^Bearer (\S+)$/i.exec(authorization)?.[1];
  const valid = token === undefined ? undefined : await readApiToken(services().database, token);
  if (valid) return { kind: "token", ...valid };
  return { kind: "stranger", reason: "This token is not valid, or not any more: npx arlarena token makes one" };
}

/** Whether a request is somebody's who is known, by whatever way they came. */
export async function isKnown(headers: Headers): Promise<boolean> {
  return (await readCaller(headers)).kind !== "stranger";
}

/** The answer to a request that may not pass a route's door; undefined where it may. */
export async function refuseRequest(request: Request, asked: Asked): Promise<Response | undefined> {
  const refusal = refuseCaller(await readCaller(request.headers), asked);
  if (!refusal) return undefined;
  const response = answerJson(refusal.status, { problem: refusal.message });
  if (refusal.status === 401) response.headers.set("www-authenticate", "Bearer");
  return response;
}
