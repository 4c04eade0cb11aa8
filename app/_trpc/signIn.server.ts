import { randomBytes } from "node:crypto";
import {
  knownCookie,
  knownMaxAgeMs,
  sessionCookie,
  sessionMaxAgeMs,
  signKnown,
  signSession,
} from "#server/config/session.ts";
import { makeRateLimit } from "#server/api/rateLimit.ts";
import { makeTally } from "#server/api/tally.ts";
import { callerAddress } from "#server/api/callerAddress.ts";
import { noteChange } from "#server/db/auditEntries.ts";
import { createSession } from "#server/db/sessions.ts";
import { guessing } from "#server/domain/people/guessing.ts";
import { services } from "./services.server.ts";
import { readKnown, sessionSecret } from "./ticket.server.ts";

/** Tries from one address: ten at once, then one every six seconds. */
const triesOfAddress = makeRateLimit({ most: 10, everyMs: 6000, maxKeys: 10_000 });
/** The same of one browser with the name of whom it has signed in before. What happens elsewhere does not count here. */
const triesOfBrowser = makeRateLimit({ most: 10, everyMs: 6000, maxKeys: 10_000 });
/** Wrong passwords within an hour, of which administrators are told. */
const wrongTries = makeTally({ most: 20, withinMs: 3600_000, maxKeys: 10_000 });

/** The answer to somebody who has tried a password too often; undefined where this try may go on. */
export function refusePassword(headers: Headers, personId: number | undefined): Response | undefined {
  const known = readKnown(headers);
  return known !== undefined && known.personId === personId
    ? refuseFor(triesOfBrowser.take(known.id, Date.now()), "with this browser")
    : refuseFor(triesOfAddress.take(callerAddress(headers), Date.now()), "from your address");
}

/** The answer to a secret address that is none; undefined where there may be more tries. One that is good is never refused. */
export function refuseGuess(headers: Headers): Response | undefined {
  return refuseFor(triesOfAddress.take(callerAddress(headers), Date.now()), "from your address");
}

function refuseFor(waitMs: number, whence: string): Response | undefined {
  if (waitMs === 0) return undefined;
  const waitS = Math.ceil(waitMs / 1000);
  const text = `Too many tries to sign in ${whence}: try again in ${waitS} s\n`;
  return new Response(text, { status: 429, headers: { "retry-after": String(waitS) } });
}

/** Counts a wrong password. Many with one name, or from one address, are written down, and administrators are told. */
export async function noteWrongPassword(headers: Headers, person: { name: string } | undefined): Promise<void> {
  const address = callerAddress(headers);
  const nowMs = Date.now();
  const about = [
    ...(person ? [{ key: `name ${person.name}`, subject: `name=${person.name}` }] : []),
    { key: `address ${address}`, subject: `address=${address}` },
  ];
  for (const { key, subject } of about) {
    const number = wrongTries.add(key, nowMs);
    if (number === undefined) continue;
    const problem = `${number} wrong passwords within an hour, the last one from ${address}`;
    await noteChange(services().database.pool, { ...guessing, subject, problem });
  }
}

/** Begins a session and sends its browser on with its cookies. */
export async function beginSession(request: Request, personId: number | null, next: string): Promise<Response> {
  const issuedMs = Date.now();
  const id = await createSession(services().database, personId, new Date(issuedMs));
  const response = seeOther(next);
  const isSecure = request.url.startsWith("https:");
  const value = signSession(sessionSecret(), { id, issuedMs });
  response.headers.append("set-cookie", toCookie(sessionCookie, value, { maxAgeMs: sessionMaxAgeMs, isSecure }));
  if (personId === null) return response;
  const browser = readKnown(request.headers)?.id ?? randomBytes(12).toString("base64url");
  const known = signKnown(sessionSecret(), { id: browser, personId }, issuedMs);
  response.headers.append("set-cookie", toCookie(knownCookie, known, { maxAgeMs: knownMaxAgeMs, isSecure }));
  return response;
}

function toCookie(
  name: string,
  value: string,
  { maxAgeMs, isSecure }: { maxAgeMs: number; isSecure: boolean },
): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeMs / 1000}${isSecure ? "; Secure" : ""}`;
}

export function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { location } });
}
