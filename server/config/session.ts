import { createHmac, timingSafeEqual } from "node:crypto";

export const sessionCookie = "arlarena_session";
/** Maximum age of a session after sign-in, even if the session is used. */
export const sessionMaxAgeMs = 30 * 24 * 3600 * 1000;
/** Time without a request after which a session ends. */
export const sessionMaxIdleMs = 7 * 24 * 3600 * 1000;

export type SessionTicket = { id: string; issuedMs: number };

export function signSession(secret: string, { id, issuedMs }: SessionTicket): string {
  return `${id}.${issuedMs}.${signatureOf(secret, `${id}.${issuedMs}`)}`;
}

/**
 * Parses a session cookie; undefined if too old or not validly signed. Only the database knows if a session was
 * ended.
 */
export function openSession(secret: string, value: string | undefined, nowMs: number): SessionTicket | undefined {
  const [id = "", issued = "", signature = ""] = (value ?? "").split(".");
  const age = nowMs - Number(issued);
  if (id === "" || !/^\d+$/.test(issued) || age > sessionMaxAgeMs || age < -60_000) return undefined;
  const isOurs = secret !== "" && isEqual(signature, signatureOf(secret, `${id}.${issued}`));
  return isOurs ? { id, issuedMs: Number(issued) } : undefined;
}

/** Name of the cookie of a read-only share link. Browsers send it only to the page that the link shows. */
export const linkCookie = "arlarena_link";

/** Returns the value of a share link's cookie. At every request, the database is asked if the link is still valid. */
export function signLink(secret: string, linkId: number): string {
  return `${linkId}.${hmacOf(secret, `link ${linkId}`)}`;
}

export function isLinkCookie(secret: string, value: string | undefined, linkId: number): boolean {
  return secret !== "" && isEqual(value ?? "", signLink(secret, linkId));
}

/** Cookie of a browser after a sign-in: other people's wrong passwords for the name then do not slow it down. */
export const knownCookie = "arlarena_known";
export const knownMaxAgeMs = 365 * 24 * 3600 * 1000;

export type KnownBrowser = { id: string; personId: number };

export function signKnown(secret: string, { id, personId }: KnownBrowser, issuedMs: number): string {
  const text = `${personId}.${id}.${issuedMs}`;
  return `${text}.${hmacOf(secret, `known ${text}`)}`;
}

/** Parses the cookie of a known browser; undefined if the cookie has expired or its signature is invalid. */
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
