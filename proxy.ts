import { randomBytes } from "node:crypto";
import { NextResponse, type NextRequest } from "next/server";
import { sayBasePath } from "#server/config/config.ts";
import { isKnownHost } from "#server/api/origin.ts";
import { currentAddress, healthPath } from "#server/domain/pages.ts";
import { configuredHosts, refuseHost } from "#app/_trpc/route.server.ts";
import { readProxied } from "#app/_trpc/proxied.server.ts";
import { hasLink, readTicket } from "#app/_trpc/session.server.ts";

/**
 * Checks requests for pages: unknown hosts are refused, old URLs redirect, and pages need a session. Only the
 * cookie's signature is checked here; every page and route checks in the database that the session is still open.
 */
export function proxy(request: NextRequest): Response {
  if (request.nextUrl.pathname === healthPath) return new Response("ok\n");
  if (!isKnownHost(request.headers.get("host"), configuredHosts())) return refuseHost();
  const prefix = request.headers.get("x-forwarded-prefix")?.replaceAll(/\/+$/g, "") ?? "";
  if (prefix !== "") return new Response(`${sayBasePath(prefix.slice(0, 100))}\n`, { status: 421 });
  const { method, nextUrl } = request;
  const { pathname, search } = nextUrl;
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { allow } });
  if (method !== "GET" && method !== "HEAD") {
    return new Response(`${method} of a page: pages are read with GET\n`, { status: 405, headers: { allow } });
  }
  const numCharacters = pathname.length + search.length;
  if (!isOpen(pathname) && numCharacters > maxCharacters) {
    const text = `This address has ${numCharacters} characters, the limit is ${maxCharacters}\n`;
    return new Response(text, { status: 414 });
  }
  const moved = currentAddress(pathname, search);
  if (moved !== undefined) return NextResponse.redirect(new URL(moved, request.url), 308);
  if (isOpen(pathname) || readTicket(request.headers) || readProxied(request.headers)) return passOn(request);
  const [, linkId] = /^\/shared\/(\d+)$/.exec(pathname) ?? [];
  if (linkId !== undefined && hasLink(request.headers, linkId)) return passOn(request);
  return NextResponse.redirect(new URL(`/sign-in?next=${encodeURIComponent(pathname + search)}`, request.url));
}

/**
 * Passes a request on to the page with a content security policy that allows only the studio's scripts. Next.js reads
 * the nonce from the request's header and adds it to every script; these scripts may load further scripts. Styles are
 * not restricted, because charts and editors set styles.
 */
function passOn(request: NextRequest): Response {
  const headers = new Headers(request.headers);
  const nonce = randomBytes(16).toString("base64");
  // React's development build needs eval.
  const scripts = `'self' 'nonce-${nonce}' 'strict-dynamic'${process.env.NODE_ENV === "development" ? " 'unsafe-eval'" : ""}`;
  const policy = `script-src ${scripts}; worker-src 'self'; ${pagePolicy}`;
  headers.set(policyHeader, policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set(policyHeader, policy);
  return response;
}

const policyHeader = "Content-Security-Policy";
/** Policy for pages: other sites cannot show them in frames to steal clicks (clickjacking). */
const pagePolicy = "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'";

/** HTTP methods that pages answer; none of these methods changes data. */
const allow = "GET, HEAD, OPTIONS";
/** Maximum length of a URL in characters: half of Node.js's limit, because the sign-in URL contains another URL. */
const maxCharacters = 8192;

// Requests that pass through `proxy`: all except those below /api, which have their own check (`makeRoute`). Here
// their bodies would be buffered in memory and cut at 10 MB.
export const config = { matcher: ["/((?!api/).*)"] };

function isOpen(pathname: string): boolean {
  return openPaths.has(pathname) || openFolders.some((folder) => pathname.startsWith(folder));
}

/**
 * Folders that need no session: static files of pages, and the schemas of the studio's files, which editors fetch
 * without a cookie.
 */
const openFolders = ["/_next/", "/schema/"];

/** Paths that need no session: the pages for sign-in and invitations, and files that browsers fetch without cookies. */
const openPaths = new Set([
  "/sign-in",
  "/invitation",
  "/favicon.ico",
  "/icon.svg",
  "/icon-192.png",
  "/icon-512.png",
  "/manifest.webmanifest",
  "/social.png",
]);
