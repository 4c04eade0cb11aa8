import { createHmac, timingSafeEqual } from "node:crypto";

export const sessionCookie = "arlarena_session";
/** A session ends so long after signing in, however busy it was. */
export const sessionMaxAgeMs = 30 * 24 * 3600 * 1000;
/** A session ends when nobody has used it for so long. */
export const sessionMaxIdleMs = 7 * 24 * 3600 * 1000;

/** Which session a cookie names, and when that session began (Unix time). */
export type SessionTicket = { id: string; issuedMs: number };

/** The cookie's value: the session, when it began, and the secret's signature of both. */
export function signSession(secret: string, { id, issuedMs }: SessionTicket): string {
  return `${id}.${issuedMs}.${signatureOf(secret, `${id}.${issuedMs}`)}`;
}

/**
 * The session that a cookie's value names; undefined for a value that this secret did not sign, or one past the
 * largest age. Whether the session was ended meanwhile is the database's to say.
 */
export function openSession(secret: string, value: string | undefined, nowMs: number): SessionTicket | undefined {
  const [id = "", issued = "", signature = ""] = (value ?? "").split(".");
  const age = nowMs - Number(issued);
  if (id === "" || !/^\d+$/.test(issued) || age > sessionMaxAgeMs || age < -60_000) return undefined;
  const expected = Buffer.from(signatureOf(secret, `${id}.${issued}`));
  const given = Buffer.from(signature);
  const isOurs = secret !== "" && given.length === expected.length && timingSafeEqual(given, expected);
  return isOurs ? { id, issuedMs: Number(issued) } : undefined;
}

function signatureOf(secret: string, text: string): string {
  return createHmac("sha256", secret).update(`session ${text}`).digest("base64url");
}
