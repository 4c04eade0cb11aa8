import { NextResponse, type NextRequest } from "next/server";
import { isKnownHost } from "#server/api/origin.ts";
import { isSignedIn } from "#app/_trpc/session.server.ts";

/** The outermost door: unknown hosts are refused, and pages are for people who signed in. Routes check by themselves too. */
export function proxy(request: NextRequest): Response {
  if (!isKnownHost(request.headers.get("host"), configuredHosts())) {
    return new Response("Unknown host. Open the address that `npm start` printed.\n", { status: 421 });
  }
  const { pathname, search } = request.nextUrl;
  if (isOpen(pathname) || isSignedIn(request.headers)) return NextResponse.next();
  // Procedures say 401 by themselves, in the form their client can read.
  if (pathname.startsWith("/api/trpc/")) return NextResponse.next();
  if (pathname.startsWith("/api/")) return new Response("Sign in first\n", { status: 401 });
  return NextResponse.redirect(new URL(`/sign-in?next=${encodeURIComponent(pathname + search)}`, request.url));
}

function isOpen(pathname: string): boolean {
  // Trainers carry a token of their own, which the route checks.
  return ["/sign-in", "/api/sign-in"].includes(pathname) || /^\/(_next|api\/2\.0\/mlflow)\//.test(pathname);
}

function configuredHosts(): string[] {
  return (process.env["ARLARENA_HOSTS"] ?? "").split(",").filter(Boolean);
}
