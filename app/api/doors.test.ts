import { afterAll, beforeAll, expect, test } from "vitest";
import { NextRequest } from "next/server";
import { signSession } from "#server/config/session.ts";
import { config, proxy } from "../../proxy.ts";
import { appFiles, handlersOf, origin } from "./testing/requests.ts";
import { secret } from "./testing/services.ts";

/** Tests that a caller without a session gets no content from any route or page; both are listed from the code. */

beforeAll(() => void (process.env["ARLARENA_SESSION_SECRET"] = secret));
afterAll(() => void delete process.env["ARLARENA_SESSION_SECRET"]);

const routes = appFiles.filter((file) => file.endsWith("/route.ts"));
const pages = appFiles.filter((file) => file.endsWith("page.tsx"));
const pathOf = (file: string) =>
  `/${file.replace(/\/?(route\.ts|page\.tsx)$/, "")}`.replaceAll(/\[(\w+)\]/g, "$1-of-test");

// The sign-in forms are open, but only to the studio's own pages.
const isSignInForm = (file: string) => ["api/sign-in/route.ts", "api/invitation/route.ts"].includes(file);

test.each(routes)("the route %s refuses a caller without a session", async (file) => {
  for (const [method, handler] of await handlersOf(file)) {
    const response = (await handler(makeRequest(file, method), { params: Promise.resolve({}) })) as Response;
    expect([method, response.status]).toEqual([method, isSignInForm(file) ? 403 : 401]);
  }
});

function makeRequest(file: string, method: string): Request {
  const headers = { host: "localhost:4000", origin: isSignInForm(file) ? "http://evil.example" : origin };
  if (!file.startsWith("api/trpc")) return new Request(origin + pathOf(file), { method, headers });
  if (method === "GET") return new Request(`${origin}/api/trpc/sweep.list`, { headers });
  const json = { ...headers, "content-type": "application/json" };
  return new Request(`${origin}/api/trpc/sweep.pause`, { method, headers: json, body: "{}" });
}

function ask(path: string, headers: Record<string, string>): Response {
  return proxy(new NextRequest(origin + path, { headers: { host: "localhost:4000", ...headers } }));
}

test.each(pages.map(pathOf).filter((path) => path !== "/sign-in" && path !== "/invitation"))(
  "the page %s sends a browser without a session away",
  (path) => {
    const response = ask(path, {});
    expect([response.status, response.headers.get("location")?.split("?")[0]]).toEqual([307, `${origin}/sign-in`]);
  },
);

test("a former address of a page redirects with its query, before the sign-in", () => {
  const response = ask("/stability?sweep=a&tab=survival", {});
  expect([response.status, response.headers.get("location")]).toEqual([
    308,
    `${origin}/analysis/stability/survival?sweep=a`,
  ]);
});

test("every page runs our scripts alone, by a nonce that is another one each time and reaches the page", () => {
  const cookie = `arlarena_session=${signSession(secret, { id: "x", issuedMs: Date.now() })}`;
  const policies = ["/sweeps", "/sweeps", "/sign-in", "/invitation"].map((path) => {
    const { headers } = ask(path, { cookie });
    // Next.js reads the nonce from this header.
    expect(headers.get("x-middleware-request-content-security-policy")).toBe(headers.get("content-security-policy"));
    return headers.get("content-security-policy") ?? "";
  });
  for (const policy of policies) expect(policy).toMatch(/^script-src 'self' 'nonce-[\w+/=]{24}' 'strict-dynamic'; /);
  expect(new Set(policies).size).toBe(policies.length);
});

test("a page below a path of a proxy says that this is not supported", async () => {
  const answer = ask("/sign-in", { "x-forwarded-prefix": "/studio/" });
  expect([answer.status, await answer.text()]).toEqual([
    421,
    "ARLArena Studio does not work below a path such as /studio: give the studio its own host name or port (docs/people.md)\n",
  ]);
  expect(ask("/sign-in", { "x-forwarded-prefix": "/" }).status).toBe(200);
});

test("the health address answers without a session, at any host name", async () => {
  const answer = proxy(new NextRequest("http://10.0.0.7:7331/health", { headers: { host: "10.0.0.7:7331" } }));
  expect([answer.status, await answer.text()]).toEqual([200, "ok\n"]);
});

test("pages are read only, by addresses that have an end", async () => {
  const send = (method: string, path = "/sweeps") =>
    proxy(new NextRequest(origin + path, { method, headers: { host: "localhost:4000" } }));
  const options = send("OPTIONS");
  expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
  for (const method of ["PUT", "POST", "DELETE", "PATCH"]) {
    const response = send(method);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  }
  const long = send("GET", `/sweeps/${"a".repeat(12_000)}`);
  expect([long.status, await long.text()]).toEqual([414, "This address has 12008 characters, the limit is 8192\n"]);
});

test("a forged, an expired and a foreign cookie are no session", () => {
  const now = Date.now();
  const values = [
    `id.${now}.forged`,
    signSession(secret, { id: "id", issuedMs: now - 31 * 24 * 3600 * 1000 }),
    signSession("another secret", { id: "id", issuedMs: now }),
    signSession(secret, { id: "id", issuedMs: now }).replace("id.", "other."),
    "",
  ];
  for (const value of values) {
    expect(ask("/sweeps", { cookie: `arlarena_session=${value}` }).status).toBe(307);
  }
  expect(
    ask("/sweeps", { cookie: `a=b; arlarena_session=${signSession(secret, { id: "id", issuedMs: now })}` }).status,
  ).toBe(200);
});

const foreignHost = { host: "rebound.example:4000", origin: "http://rebound.example:4000" };

test("a host that is not ours gets no page, session or not", () => {
  const cookie = `arlarena_session=${signSession(secret, { id: "id", issuedMs: Date.now() })}`;
  for (const path of ["/sweeps", "/sign-in", "/_next/static/x.js"]) {
    expect(ask(path, { ...foreignHost, cookie }).status).toBe(421);
  }
});

test.each(routes)("the route %s refuses a host that is not ours before anything else", async (file) => {
  for (const [method, handler] of await handlersOf(file)) {
    const request = new Request(origin + pathOf(file), { method, headers: foreignHost });
    const response = (await handler(request, { params: Promise.resolve({}) })) as Response;
    expect([method, response.status]).toEqual([method, 421]);
  }
});

test("every address that the outer door leaves out has a route with a door of its own", () => {
  expect(config.matcher).toEqual(["/((?!api/).*)"]);
  expect(routes.every((file) => file.startsWith("api/"))).toBe(true);
});
