import { sessionCookie } from "#server/config/session.ts";
import { isSameOrigin } from "#server/api/origin.ts";
import { readProxied, type Proxied } from "#app/_trpc/proxied.server.ts";
import { makeRoute } from "#app/_trpc/route.server.ts";
import { endSession, readSession } from "#app/_trpc/session.server.ts";

/** Ends the session on the server and deletes its cookie: without the former, copies of the cookie would stay valid. */
export const POST = makeRoute(async (request: Request) => {
  const proxied = readProxied(request.headers);
  if (proxied) return leaveProxy(request, proxied);
  const session = await readSession(request.headers);
  if (!session) return new Response("Not signed in\n", { status: 401 });
  if (!isSameOrigin(request.headers))
    return new Response("This form was not sent from a page of this studio\n", { status: 403 });
  await endSession(session);
  const cookie = `${sessionCookie}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`;
  return new Response(null, { status: 303, headers: { location: "/sign-in", "set-cookie": cookie } });
});

/** Signs out a person whom the reverse proxy signed in, by a redirect to the proxy's sign-out page if it has one. */
function leaveProxy(request: Request, { proxy }: Proxied): Response {
  if (!isSameOrigin(request.headers))
    return new Response("This form was not sent from a page of this studio\n", { status: 403 });
  if (proxy.signOut !== undefined) return new Response(null, { status: 303, headers: { location: proxy.signOut } });
  return new Response("The proxy signed you in: sign out there\n", { status: 409 });
}
