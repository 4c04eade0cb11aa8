import { randomBytes } from "node:crypto";
import {
  knownCookie,
  knownMaxAgeMs,
  sessionCookie,
  sessionMaxAgeMs,
  signKnown,
  signSession,
} from "#server/config/session.ts";
import { callerAddress, makeRateLimit } from "#server/api/people/caller.ts";
import { makeTally } from "#server/api/tally.ts";
import { noteChange } from "#server/db/people/changes.ts";
import { createSession } from "#server/db/people/sessions.ts";
import { guessing } from "#server/domain/people/newPassword.ts";
import { services } from "./services.server.ts";
import { readKnown, sessionSecret } from "./session.server.ts";

/** Rate limit of sign-in attempts per network address: a burst of ten, then one every six seconds. */
const triesOfAddress = makeRateLimit({ most: 10, everyMs: 6000, maxKeys: 10_000 });
/** Rate limit of sign-in attempts per browser, for the person who last signed in with the browser. */
const triesOfBrowser = makeRateLimit({ most: 10, everyMs: 6000, maxKeys: 10_000 });
/** Counter of wrong passwords per name and per network address; the 20th within an hour notifies administrators. */
const wrongTries = makeTally({ most: 20, withinMs: 3600_000, maxKeys: 10_000 });

/** Counts a password attempt; returns the refusal (HTTP 429) after too many attempts, else undefined. */
export function refusePassword(headers: Headers, personId: number | undefined): Response | undefined {
  const known = readKnown(headers);
  return known !== undefined && known.personId === personId
    ? refuseFor(triesOfBrowser.take(known.id, Date.now()), "with this browser")
    : refuseFor(triesOfAddress.take(callerAddress(headers), Date.now()), "from your address");
}

/** Returns the key of a sign-in's queue: a browser that signed in before does not wait behind others of its address. */
export function requesterOfSignIn(headers: Headers): string {
  const known = readKnown(headers);
  return known ? `browser ${known.id}` : `address ${callerAddress(headers)}`;
}

/** Counts an attempt with an invalid secret link; returns the refusal (HTTP 429) after too many, else undefined. */
export function refuseGuess(headers: Headers): Response | undefined {
  return refuseFor(triesOfAddress.take(callerAddress(headers), Date.now()), "from your address");
}

function refuseFor(waitMs: number, whence: string): Response | undefined {
  if (waitMs === 0) return undefined;
  const waitS = Math.ceil(waitMs / 1000);
  const text = `Too many sign-in attempts ${whence}: try again in ${waitS} s\n`;
  return new Response(text, { status: 429, headers: { "retry-after": String(waitS) } });
}

/** Counts a wrong password. Many for one name or address are logged as changes, and administrators are notified. */
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
