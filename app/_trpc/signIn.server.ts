import { sessionCookie, sessionMaxAgeMs, signSession } from "#server/config/session.ts";
import { makeRateLimit } from "#server/api/rateLimit.ts";
import { callerAddress } from "#server/api/callerAddress.ts";
import { createSession } from "#server/db/sessions.ts";
import { services } from "./services.server.ts";
import { sessionSecret } from "./ticket.server.ts";

/** Tries to come in from one address: ten at once, then one every six seconds. */
const tries = makeRateLimit({ most: 10, everyMs: 6000, maxKeys: 10_000 });
/** Tries with one name, wherever they come from. */
const triesOfName = makeRateLimit({ most: 20, everyMs: 10_000, maxKeys: 10_000 });

/** The answer to an address that has tried too often; undefined where this try may go on. */
export function refuseTries(headers: Headers): Response | undefined {
  return refuseFor(tries.take(callerAddress(headers), Date.now()), "from your address");
}

/** The answer to a name that was tried too often, from wherever; undefined where this try may go on. */
export function refuseTriesOfName(nameKey: string): Response | undefined {
  return refuseFor(triesOfName.take(nameKey, Date.now()), "with this name");
}

function refuseFor(waitMs: number, whence: string): Response | undefined {
  if (waitMs === 0) return undefined;
  const waitS = Math.ceil(waitMs / 1000);
  const text = `Too many tries to sign in ${whence}: try again in ${waitS} s\n`;
  return new Response(text, { status: 429, headers: { "retry-after": String(waitS) } });
}

/** Begins a session and sends its browser on with the cookie. */
export async function beginSession(request: Request, personId: number | null, next: string): Promise<Response> {
  const issuedMs = Date.now();
  const id = await createSession(services().database, personId, new Date(issuedMs));
  const secure = request.url.startsWith("https:") ? "; Secure" : "";
  const cookie = `${sessionCookie}=${signSession(sessionSecret(), { id, issuedMs })}`;
  return seeOther(next, `${cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${sessionMaxAgeMs / 1000}${secure}`);
}

export function seeOther(location: string, cookie?: string): Response {
  return new Response(null, { status: 303, headers: { location, ...(cookie ? { "set-cookie": cookie } : {}) } });
}
