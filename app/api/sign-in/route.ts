import { sessionCookie, sessionMaxAgeMs, signSession } from "#server/config/session.ts";
import { callerAddress } from "#server/api/callerAddress.ts";
import { isSameOrigin } from "#server/api/origin.ts";
import { makeRateLimit } from "#server/api/rateLimit.ts";
import { createSession } from "#server/db/sessions.ts";
import { redeemSignInToken } from "#server/db/signInTokens.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { services } from "#app/_trpc/services.server.ts";
import { sessionSecret } from "#app/_trpc/ticket.server.ts";
import { localPath } from "#app/_trpc/localPath.ts";
import { readForm } from "./readForm.ts";

/** Tries to sign in from one address: ten at once, then one every six seconds. */
const tries = makeRateLimit({ most: 10, everyMs: 6000, maxKeys: 10_000 });

/** Spends the one-time token for a session cookie. A form post, so that link previews cannot spend it. */
export const POST = makeRoute(async (request: Request) => {
  if (!isSameOrigin(request.headers)) return new Response("This form is not one of our own pages\n", { status: 403 });
  const waitMs = tries.take(callerAddress(request.headers), Date.now());
  if (waitMs > 0) return refuseForNow(Math.ceil(waitMs / 1000));
  const form = await readForm(request);
  const next = localPath(form.get("next") ?? "");
  const outcome = await redeemSignInToken(services().database, (form.get("token") ?? "").trim(), new Date());
  if (outcome !== "ok") return seeOther(`/sign-in?problem=${outcome}&next=${encodeURIComponent(next)}`);
  const issuedMs = Date.now();
  const id = await createSession(services().database, new Date(issuedMs));
  const secure = request.url.startsWith("https:") ? "; Secure" : "";
  const cookie = `${sessionCookie}=${signSession(sessionSecret(), { id, issuedMs })}`;
  return seeOther(next, `${cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${sessionMaxAgeMs / 1000}${secure}`);
});

function refuseForNow(waitS: number): Response {
  const text = `Too many tries to sign in from your address: try again in ${waitS} s\n`;
  return new Response(text, { status: 429, headers: { "retry-after": String(waitS) } });
}

function seeOther(location: string, cookie?: string): Response {
  return new Response(null, { status: 303, headers: { location, ...(cookie ? { "set-cookie": cookie } : {}) } });
}
