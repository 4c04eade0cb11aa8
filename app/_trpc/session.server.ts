import { isValidSession, sessionCookie } from "#server/config/session.ts";

/** Whether a request carries a session cookie that we signed and that has not expired. */
export function isSignedIn(headers: Headers): boolean {
  return isValidSession(sessionSecret(), readCookie(headers, sessionCookie), Date.now());
}

export function sessionSecret(): string {
  return process.env["ARLARENA_SESSION_SECRET"] ?? "";
}

function readCookie(headers: Headers, name: string): string | undefined {
  const pairs = (headers.get("cookie") ?? "").split(/;\s*/);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
