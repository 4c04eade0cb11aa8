import { sessionCookie, sessionMaxAgeMs, signSession } from "#server/config/session.ts";
import { isSameOrigin } from "#server/api/origin.ts";
import { redeemSignInToken } from "#server/db/signInTokens.ts";
import { services } from "#app/_trpc/services.server.ts";
import { sessionSecret } from "#app/_trpc/session.server.ts";
import { localPath } from "./localPath.ts";

/** Spends the one-time token for a session cookie. A form post, so that link previews cannot spend it. */
export async function POST(request: Request): Promise<Response> {
  if (!isSameOrigin(request.headers)) return new Response("This form is not one of our own pages\n", { status: 403 });
  const form = await request.formData();
  const next = localPath(textOf(form.get("next")));
  const token = textOf(form.get("token")).trim();
  const outcome = await redeemSignInToken(services().database, token, new Date());
  if (outcome !== "ok") return seeOther(`/sign-in?problem=${outcome}&next=${encodeURIComponent(next)}`);
  const secure = request.url.startsWith("https:") ? "; Secure" : "";
  const cookie = `${sessionCookie}=${signSession(sessionSecret(), Date.now())}`;
  return seeOther(next, `${cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${sessionMaxAgeMs / 1000}${secure}`);
}

function seeOther(location: string, cookie?: string): Response {
  return new Response(null, { status: 303, headers: { location, ...(cookie ? { "set-cookie": cookie } : {}) } });
}

function textOf(entry: FormDataEntryValue | null): string {
  return typeof entry === "string" ? entry : "";
}
