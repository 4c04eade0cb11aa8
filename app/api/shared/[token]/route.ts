import { linkCookie, signLink } from "#server/config/session.ts";
import { findShareLink } from "#server/db/publish/links.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { services } from "#app/_trpc/services.server.ts";
import { sessionSecret } from "#app/_trpc/session.server.ts";

type Props = { params: Promise<{ token?: string }> };

/** Exchanges a link's token for a cookie that browsers send only to the link's own page. */
export const GET = makeRoute(async (request: Request, { params }: Props) => {
  const { token = "" } = await params;
  const now = new Date();
  const link = /^[\w-]{43}$/.test(token) ? await findShareLink(services().database, token, now) : undefined;
  const headers = { "cache-control": "no-store", "referrer-policy": "no-referrer" };
  if (!link) return new Response("This link has expired, was ended or is not valid\n", { status: 401, headers });
  const path = `/shared/${link.id}`;
  const maxAge = Math.floor((link.expiresAt.getTime() - now.getTime()) / 1000);
  const secure = request.url.startsWith("https:") ? "; Secure" : "";
  const cookie = `${linkCookie}=${signLink(sessionSecret(), link.id)}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`;
  return new Response(null, { status: 303, headers: { ...headers, location: path, "set-cookie": cookie } });
});
