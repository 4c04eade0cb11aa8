import { NextResponse, type NextRequest } from "next/server";
import { isKnownHost } from "#server/api/origin.ts";
import { configuredHosts, refuseHost } from "#app/_trpc/route.server.ts";
import { readTicket } from "#app/_trpc/ticket.server.ts";

/**
 * The outermost door of pages: unknown hosts are refused, and pages are for people who signed in. Here the cookie's
 * signature is read; whether the session goes on, every page and route asks the database.
 */
export function proxy(request: NextRequest): Response {
  if (!isKnownHost(request.headers.get("host"), configuredHosts())) return refuseHost();
  const { pathname, search } = request.nextUrl;
  if (isOpen(pathname) || readTicket(request.headers)) return NextResponse.next();
  return NextResponse.redirect(new URL(`/sign-in?next=${encodeURIComponent(pathname + search)}`, request.url));
}

// Routes have a door of their own (makeRoute): through this one their bodies would be held in memory, cut at 10 MB.
export const config = { matcher: ["/((?!api/).*)"] };

function isOpen(pathname: string): boolean {
  return openPaths.has(pathname) || pathname.startsWith("/_next/");
}

/** The sign-in page, and what a browser fetches for any page without the person's cookie. */
const openPaths = new Set([
  "/sign-in",
  "/favicon.ico",
  "/icon.svg",
  "/icon-192.png",
  "/icon-512.png",
  "/manifest.webmanifest",
  "/social.png",
]);
