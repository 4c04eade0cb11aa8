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
  const isOurs = secret !== "" && isEqual(signature, signatureOf(secret, `${id}.${issued}`));
  return isOurs ? { id, issuedMs: Number(issued) } : undefined;
}

/** A read-only link in a browser: its cookie goes to the one page that shows it, and to nothing else. */
export const linkCookie = "arlarena_link";

/** The value of a link's cookie. Whether the link goes on, the database says at every look. */
export function signLink(secret: string, linkId: number): string {
  return `${linkId}.${hmacOf(secret, `link ${linkId}`)}`;
}

/** Whether a cookie's value is this link's. */
export function isLinkCookie(secret: string, value: string | undefined, linkId: number): boolean {
  return secret !== "" && isEqual(value ?? "", signLink(secret, linkId));
}

/** A browser that somebody has signed in with: what others try with their name does not slow it down. */
export const knownCookie = "arlarena_known";
export const knownMaxAgeMs = 365 * 24 * 3600 * 1000;

export type KnownBrowser = { /** Of this browser. */ id: string; personId: number };

export function signKnown(secret: string, { id, personId }: KnownBrowser, issuedMs: number): string {
  const text = `${personId}.${id}.${issuedMs}`;
  return `${text}.${hmacOf(secret, `known ${text}`)}`;
}

/** The person that a cookie names; undefined for an expired value, or one that this secret did not sign. */
export function openKnown(secret: string, value: string | undefined, nowMs: number): KnownBrowser | undefined {
  const [personId = "", id = "", issued = "", signature = ""] = (value ?? "").split(".");
  if (!/^\d{1,10}$/.test(personId) || !/^\d+$/.test(issued) || nowMs - Number(issued) > knownMaxAgeMs) return undefined;
  const isOurs = secret !== "" && isEqual(signature, hmacOf(secret, `known ${personId}.${id}.${issued}`));
  return isOurs ? { id, personId: Number(personId) } : undefined;
}

function signatureOf(secret: string, text: string): string {
  return hmacOf(secret, `session ${text}`);
}

function hmacOf(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url");
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
