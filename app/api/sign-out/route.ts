import { sessionCookie } from "#server/config/session.ts";
import { isSameOrigin } from "#server/api/origin.ts";
import { isSignedIn } from "#app/_trpc/session.server.ts";

export function POST(request: Request): Response {
  if (!isSignedIn(request.headers)) return new Response("Not signed in\n", { status: 401 });
  if (!isSameOrigin(request.headers)) return new Response("This form is not one of our own pages\n", { status: 403 });
  const cookie = `${sessionCookie}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`;
  return new Response(null, { status: 303, headers: { location: "/sign-in", "set-cookie": cookie } });
}
