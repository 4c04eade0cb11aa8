import { createHmac, timingSafeEqual } from "node:crypto";

export const sessionCookie = "arlarena_session";
export const sessionMaxAgeMs = 30 * 24 * 3600 * 1000;

/** The cookie's value: when it was issued, and the secret's signature of that. */
export function signSession(secret: string, nowMs: number): string {
  return `${nowMs}.${signatureOf(secret, String(nowMs))}`;
}

export function isValidSession(secret: string, value: string | undefined, nowMs: number): boolean {
  const [issued = "", signature = ""] = (value ?? "").split(".");
  const age = nowMs - Number(issued);
  if (!/^\d+$/.test(issued) || age > sessionMaxAgeMs || age < -60_000) return false;
  const expected = Buffer.from(signatureOf(secret, issued));
  const got = Buffer.from(signature);
  return secret !== "" && got.length === expected.length && timingSafeEqual(got, expected);
}

function signatureOf(secret: string, text: string): string {
  return createHmac("sha256", secret).update(`session ${text}`).digest("base64url");
}
