import type { Context } from "#server/api/trpc.ts";
import { type Asked, type Caller, refuseCaller } from "#server/api/people/caller.ts";
import { isSameOrigin } from "#server/api/origin.ts";
import { readApiToken, tokenPrefix } from "#server/db/people/apiTokens.ts";
import { findOrAddPerson } from "#server/db/people/people.ts";
import { AppError } from "#packages/base";
import { PersonName, toNameKey } from "#server/domain/people/personName.ts";
import type { Role } from "#server/domain/people/access.ts";
import { type Proxied, readProxied } from "./proxied.server.ts";
import { answerJson } from "./route.server.ts";
import { services } from "./services.server.ts";
import { readSession } from "./session.server.ts";

/** Authenticates a request by a studio token, else by a name from the proxy, else by the session cookie. */
export async function readCaller(headers: Headers): Promise<Caller> {
  const authorization = headers.get("authorization");
  const token = /^Bearer (\S+)$/i.exec(authorization ?? "")?.[1];
  const valid = token === undefined ? undefined : await readApiToken(services().database, token);
  if (valid) return { kind: "token", ...valid };
  // Reports an expired token, even if the request also carries a valid session.
  const caller: Caller = token?.startsWith(tokenPrefix) ? { kind: "stranger" } : await readBrowser(headers);
  if (caller.kind !== "stranger" || authorization === null) return caller;
  return { reason: "This token is invalid or has expired: create a new token with npx arlarena token", ...caller };
}

async function readBrowser(headers: Headers): Promise<Caller> {
  const proxied = readProxied(headers);
  if (proxied) return readProxiedCaller(headers, proxied);
  const session = await readSession(headers);
  if (!session) return { kind: "stranger" };
  return { kind: "session", isSameOrigin: isSameOrigin(headers), person: session.person };
}

/** Returns the caller that the proxy names. Session cookies are ignored: a previous user may have left one. */
async function readProxiedCaller(headers: Headers, { name, formerName, proxy }: Proxied): Promise<Caller> {
  const known = PersonName.safeParse(name);
  if (!known.success) return { kind: "stranger", reason: `${proxy.header}: ${known.error.issues[0]?.message}` };
  const role = findRole(proxy, known.data);
  try {
    const person = await findOrAddPerson(services().database, { name: known.data, role, formerName }, new Date());
    return { kind: "session", isSameOrigin: isSameOrigin(headers), person };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { kind: "stranger", reason: `${proxy.header}: ${error.message}` };
  }
}

function findRole({ role, roles }: Proxied["proxy"], name: string): Role {
  const named = Object.entries(roles).find(([one]) => toNameKey(one) === toNameKey(name));
  return named?.[1] ?? role;
}

/** Returns true if a request carries a valid session or token, or a name from the authenticating proxy. */
export async function isKnown(headers: Headers): Promise<boolean> {
  return (await readCaller(headers)).kind !== "stranger";
}

/** Checks that the caller may use a route; returns the error response, or undefined if the request is allowed. */
export async function refuseRequest(request: Request, asked: Asked): Promise<Response | undefined> {
  const refusal = refuseCaller(await readCaller(request.headers), asked);
  if (!refusal) return undefined;
  const response = answerJson(refusal.status, { problem: refusal.message });
  if (refusal.status === 401) response.headers.set("www-authenticate", "Bearer");
  return response;
}

export async function makeContext(headers: Headers): Promise<Context> {
  return { ...services(), caller: await readCaller(headers) };
}
