import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NextRequest } from "next/server";
import { TRPCError } from "@trpc/server";
import type { Caller } from "#server/api/people/caller.ts";
import type { Context } from "#server/api/trpc.ts";
import { appRouter, createCaller } from "#server/api/root.ts";
import { linkCookie, signLink } from "#server/config/session.ts";
import { createApiToken } from "#server/db/people/apiTokens.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { Role, Scope } from "#server/domain/people/access.ts";
import { readCaller } from "#app/_trpc/caller.server.ts";
import { proxy } from "../../proxy.ts";
import { appFiles, handlersOf, origin, startSession } from "./testing/requests.ts";
import { secret, startServices, stopServices } from "./testing/services.ts";

/**
 * Tests permissions: every kind of caller tries every procedure, route and page, which are listed from the code. The
 * result is docs/generated/access.md.
 */

const database = await makeTestDatabase();

/** Request headers of each caller. */
const headersOf = new Map<string, Record<string, string>>();

beforeAll(async () => {
  startServices(database.url);
  await comeIn();
});

/** Signs every kind of caller in again, because one of the routes signs callers out. */
async function comeIn(): Promise<void> {
  await database.prisma.person.deleteMany();
  headersOf.set("nobody", {});
  // Browsers send the link's cookie only to the link's page; here it is sent everywhere.
  headersOf.set("link", { cookie: `${linkCookie}=${signLink(secret, 1)}`, origin });
  for (const role of Role.options) {
    const { id } = await database.prisma.person.create({ data: { name: role, nameKey: role, role } });
    headersOf.set(role, { cookie: await startSession(database, id), origin });
    // The token has all scopes that the person may give, so that only the person's role limits it.
    const token = await createApiToken(database, { name: role, scopes: Scope.options, personId: id });
    headersOf.set(`token of ${role}`, { authorization: `Bearer ${token}` });
  }
  headersOf.set("holder", { cookie: await startSession(database, null), origin });
  headersOf.set("other site", { cookie: await startSession(database, null), origin: "https://evil.example" });
  for (const scope of Scope.options) {
    const token = await createApiToken(database, { name: scope, scopes: [scope] });
    headersOf.set(`token ${scope}`, { authorization: `Bearer ${token}` });
  }
}
afterAll(async () => {
  await stopServices();
  await database.close();
});

const unreachable = new Proxy(
  {},
  {
    get: (_, key) => {
      throw new Error(`${String(key)} was reached`);
    },
  },
);

// Procedures have flat names at run time ("sweep.list"), but nested types.
const flat: unknown = appRouter._def.procedures;
const procedures = Object.entries(
  flat as Readonly<Record<string, { _def: { type: string; meta?: { access?: string } } }>>,
).map(([path, { _def }]) => ({ path, type: _def.type, access: _def.meta?.access }));

/** True if a caller passes the permission check: the error then concerns the input or the missing database. */
async function mayCall(path: string, caller: Caller): Promise<boolean> {
  const context: unknown = { database: unreachable, notifications: unreachable, caller };
  const called: unknown = path
    .split(".")
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], createCaller(context as Context));
  try {
    await (called as (input: unknown) => Promise<unknown>)({});
    return true;
  } catch (error) {
    return !(error instanceof TRPCError && ["UNAUTHORIZED", "FORBIDDEN"].includes(error.code));
  }
}

test("every procedure says whom it is for", () => {
  expect(procedures.length).toBeGreaterThan(100);
  expect(procedures.filter(({ access }) => access === undefined)).toEqual([]);
});

/** Procedures that only compute, although they are POSTs, because texts and plans are too long for a URL. */
const computing = new Set([
  "environment.expert",
  "environment.moment",
  "policy.propose",
  "report.preview",
  "sweep.preview",
]);
/** Procedures that all people may use for their own account. */
const own = new Set(["people.changePassword", "people.createToken", "people.revokeTokens", "people.tokens"]);
/** Procedures for administrators. */
const administrators = new Set([
  "alerts.remove",
  "alerts.save",
  "alerts.test",
  "cost.setPrice",
  "people.allTokens",
  "people.guesses",
  "people.invitations",
  "people.invite",
  "people.remove",
  "people.revokeTokensOf",
  "people.setRole",
  "people.takeBackInvitation",
]);

/** States the permitted callers of a procedure independently of the code: by its kind, and by the names above. */
function passersOf({ path, type }: { path: string; type: string }): Set<string> {
  const isChange = type === "mutation";
  const everybody = ["viewer", "editor", "administrator", "holder"];
  const sites = isChange ? [] : ["other site"];
  if (administrators.has(path)) {
    return new Set(["administrator", "holder", "token of administrator", "token administer", ...sites]);
  }
  const tokens = ["token of viewer", "token of editor", "token of administrator"];
  if (own.has(path)) return new Set([...everybody, ...tokens, "token administer", ...sites]);
  if (!isChange || computing.has(path)) return new Set([...everybody, ...tokens, "token read", ...sites]);
  return new Set(["editor", "administrator", "holder", "token of editor", "token of administrator", "token write"]);
}

const rows = new Map<string, string[]>();

test.each(procedures)("$path", async (procedure) => {
  const allowed: string[] = [];
  for (const [name, headers] of headersOf) {
    const caller = await readCaller(new Headers({ host: "localhost:4000", ...headers }));
    if (await mayCall(procedure.path, caller)) allowed.push(name);
  }
  expect(new Set(allowed)).toEqual(passersOf(procedure));
  rows.set(`${procedure.path}, ${procedure.access}`, allowed);
});

const pathOf = (file: string) =>
  `/${file.replace(/\/?(route\.ts|page\.tsx)$/, "")}`.replaceAll(/\[+(?:\.\.\.)?(\w+)\]+/g, "$1-of-test");

const everyToken = ["token of viewer", "token of editor", "token of administrator"];
const everySession = ["viewer", "editor", "administrator", "holder", "other site"];
const readers = new Set([...everySession, ...everyToken, "token read"]);
const changers = new Set([
  "editor",
  "administrator",
  "holder",
  "token of editor",
  "token of administrator",
  "token write",
]);
const trackers = ["token of editor", "token of administrator", "token track"];
const known = new Set([...everySession, ...everyToken, ...Scope.options.map((scope) => `token ${scope}`)]);
const fromOurPages = new Set(["viewer", "editor", "administrator", "holder"]);
// Callers without a session may also post the sign-in forms, from the studio's own pages: see doors.test.ts.
const forms = new Set([...fromOurPages, "link"]);

/** Permitted callers of a route. Routes to procedures admit every caller with a name or a token, and the procedure decides. */
const routePassers: Readonly<Record<string, ReadonlySet<string>>> = {
  "GET /api/path-of-test": known,
  "POST /api/path-of-test": known,
  "PUT /api/path-of-test": known,
  "PATCH /api/path-of-test": known,
  "DELETE /api/path-of-test": known,
  "GET /api/v1/path-of-test": known,
  "POST /api/v1/path-of-test": known,
  "PUT /api/v1/path-of-test": known,
  "PATCH /api/v1/path-of-test": known,
  "DELETE /api/v1/path-of-test": known,
  // Requests for sweep.list and for sweep.pause.
  "GET /api/trpc/trpc-of-test": readers,
  "POST /api/trpc/trpc-of-test": changers,
  "POST /api/sign-in": forms,
  "POST /api/invitation": forms,
  // This token belongs to no link; see links.test.ts.
  "GET /api/shared/token-of-test": new Set(),
  "POST /api/sign-out": fromOurPages,
  "GET /api/import": readers,
  "POST /api/import": changers,
  "POST /api/run-table": readers,
  "GET /api/reports/reportId-of-test": readers,
  "GET /api/runs/runId-of-test/files/name-of-test": readers,
  "GET /api/runs/runId-of-test/artifacts/path-of-test": readers,
  "GET /api/2.0/mlflow/path-of-test": new Set([...everyToken, "token read", "token track"]),
  "POST /api/2.0/mlflow/path-of-test": new Set(trackers),
  "GET /api/2.0/mlflow-artifacts/artifacts/path-of-test": new Set([...everyToken, "token read", "token track"]),
  "PUT /api/2.0/mlflow-artifacts/artifacts/path-of-test": new Set(trackers),
  "DELETE /api/2.0/mlflow-artifacts/artifacts/path-of-test": new Set(trackers),
};

test.each(appFiles.filter((file) => file.endsWith("/route.ts")))("the route %s", async (file) => {
  for (const [method, handler] of await handlersOf(file)) {
    const door = `${method} ${pathOf(file)}`;
    const allowed: string[] = [];
    for (const [name, headers] of headersOf) {
      const request = makeRequest(file, method, headers);
      const props = { params: Promise.resolve({ runId: "none", reportId: "none", name: "none", path: ["none"] }) };
      const { status } = (await handler(request, props)) as Response;
      if (status !== 401 && status !== 403) allowed.push(name);
    }
    expect([door, new Set(allowed)]).toEqual([door, routePassers[door]]);
    rows.set(door, allowed);
    await comeIn();
  }
});

/** URLs of tRPC contain procedure names. */
function makeRequest(file: string, method: string, headers: Record<string, string>): Request {
  const sent = { host: "localhost:4000", ...headers };
  if (!file.startsWith("api/trpc")) return new Request(origin + pathOf(file), { method, headers: sent });
  if (method === "GET") return new Request(`${origin}/api/trpc/sweep.list`, { headers: sent });
  const json = { ...sent, "content-type": "application/json" };
  return new Request(`${origin}/api/trpc/sweep.pause`, { method, headers: json, body: "{}" });
}

const openPages = new Set(["/sign-in", "/invitation"]);
const pagePaths = appFiles.filter((file) => file.endsWith("page.tsx")).map(pathOf);
const sharedPage = "/shared/linkId-of-test";

/** The page of this test's link, and the page of a different link. */
const shown = pagePaths.flatMap((path) => (path === sharedPage ? ["/shared/1", "/shared/2"] : [path]));

test.each(shown)("the page %s", (path) => {
  const allowed = [...headersOf].flatMap(([name, headers]) => {
    const request = new NextRequest(origin + path, { headers: { host: "localhost:4000", ...headers } });
    return proxy(request).status === 200 ? [name] : [];
  });
  expect(new Set(allowed)).toEqual(
    new Set(openPages.has(path) ? headersOf.keys() : [...everySession, ...(path === "/shared/1" ? ["link"] : [])]),
  );
  rows.set(`page ${path}`, allowed);
});

test("docs/generated/access.md has what came out", async () => {
  const names = [...headersOf.keys()];
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const table = [
    line(["door", ...names]),
    line(["---", ...names.map(() => "---")]),
    ...[...rows].map(([door, allowed]) =>
      line([`\`${door}\``, ...names.map((name) => (allowed.includes(name) ? "yes" : ""))]),
    ),
  ];
  await expect(`${preface}\n${table.join("\n")}\n`).toMatchFileSnapshot(
    join(process.cwd(), "docs/generated/access.md"),
  );
});

const preface = `<!-- Written by app/api/access.test.ts -->

# Who may pass which door

Every procedure, route and page, tried by every kind of caller: \`npx vitest run app/api/access.test.ts\` makes this table, and fails
where a door says nothing of whom it is for, or lets in others than written down in the test.

- **viewer**, **editor**, **administrator**: people of that role, in a browser on one of our own pages. **holder**: the person who
  has the state folder, signed in by the address from its terminal; with nobody invited there is no other. **other site**: a holder's browser on
  a page that is not ours.
- **token track** and its like: the installation's tokens with that scope. **token of viewer** and its like: a token of that person with
  every scope.
- **link**: a browser that opened a read-only link, whose cookie opens \`/shared/1\`, its own page. The address of a link (\`/api/shared/TEXT\`) is its own secret.
- A procedure's kind stands after its name: \`view\`, \`change\`, \`share\`, \`own\` (about oneself) or \`administer\`. Routes that lead to
  procedures let in every caller with a name or a token; the procedure decides.
`;
