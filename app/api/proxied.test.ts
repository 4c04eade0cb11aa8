import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { NextRequest } from "next/server";
import { removePerson, restorePerson } from "#server/db/people/people.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { readCaller } from "#app/_trpc/caller.server.ts";
import { proxy } from "../../proxy.ts";
import { POST as signOut } from "./sign-out/route.ts";
import { origin, startSession } from "./testing/requests.ts";
import { startServices, stopServices } from "./testing/services.ts";

/** Tests a proxy that signs people in: its header is trusted only from the proxy's addresses. */

const database = await makeTestDatabase();
const home = await mkdtemp(join(tmpdir(), "arlarena-proxied-"));
const file = `proxy:
  header: X-Forwarded-User
  from: [10.1.0.0/16]
  roles: { "Grace@example.org": administrator }
  signOut: /oauth2/sign_out
`;
beforeAll(async () => {
  vi.stubEnv("ARLARENA_HOME", home);
  startServices(database.url);
  await writeFile(join(home, "people.yaml"), file);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await stopServices();
  await database.close();
  await rm(home, { recursive: true, force: true });
});

const host = "localhost:4000";
const headersFrom = (address: string, name: string, more: Record<string, string> = {}) =>
  new Headers({ host, origin, "x-arlarena-address": address, "x-forwarded-user": name, ...more });

test("who comes for the first time is a viewer, or what the file says, and keeps the role they are given", async () => {
  const first = await readCaller(headersFrom("10.1.2.3", "ada@example.org"));
  expect(first).toMatchObject({ kind: "session", person: { name: "ada@example.org", role: "viewer" } });
  const named = await readCaller(headersFrom("::ffff:10.1.2.3", "grace@example.org"));
  expect(named).toMatchObject({ person: { role: "administrator" } });
  await database.prisma.person.update({ where: { nameKey: "ada@example.org" }, data: { role: "editor" } });
  const both = await Promise.all(
    ["ada@example.org", "ADA@example.org"].map((name) => readCaller(headersFrom("10.1.2.3", name))),
  );
  expect(both).toMatchObject([{ person: { role: "editor" } }, { person: { role: "editor" } }]);
  expect(await database.prisma.person.count()).toBe(2);
});

test("the first two requests of somebody at once make one person", async () => {
  const callers = await Promise.all([1, 2, 3, 4].map(() => readCaller(headersFrom("10.1.2.3", "new@example.org"))));
  expect(callers.map(({ kind }) => kind)).toEqual(Array(4).fill("session"));
  expect(await database.prisma.person.count({ where: { nameKey: "new@example.org" } })).toBe(1);
});

test("the header from elsewhere is ignored and said in the log, whatever else it claims", async () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  const strangers = [
    headersFrom("10.2.2.3", "grace@example.org"),
    headersFrom("127.0.0.1", "grace@example.org", { "x-forwarded-for": "10.1.2.3" }),
    headersFrom("", "grace@example.org"),
  ];
  for (const headers of strangers) {
    expect(await readCaller(headers)).toEqual({ kind: "stranger" });
    expect(proxy(new NextRequest(`${origin}/sweeps`, { headers })).status).toBe(307);
  }
  const lines = said.mock.calls.map(([line]) => String(line));
  said.mockRestore();
  expect(lines).toEqual([
    expect.stringContaining('X-Forwarded-User from an address that is not the proxy’s: ignored about="10.2.2.3"'),
    expect.stringContaining('about="127.0.0.1"'),
    expect.stringContaining('about=""'),
  ]);
});

test("pages open for whom the proxy names, before any cookie; a name that is none is a stranger's", async () => {
  const headers = headersFrom("10.1.2.3", "ada@example.org");
  expect(proxy(new NextRequest(`${origin}/sweeps`, { headers })).status).toBe(200);
  const cookie = await startSession(database, null);
  expect(await readCaller(headersFrom("10.1.2.3", "ada@example.org", { cookie }))).toMatchObject({
    person: { name: "ada@example.org" },
  });
  expect(await readCaller(headersFrom("10.1.2.3", "browser"))).toMatchObject({
    kind: "stranger",
    reason: "X-Forwarded-User: this name is reserved for the studio: choose another",
  });
});

test("a person whom the proxy signed in signs out there", async () => {
  const request = new Request(`${origin}/api/sign-out`, {
    method: "POST",
    headers: headersFrom("10.1.2.3", "ada@example.org"),
  });
  const response = await signOut(request, {});
  expect([response.status, response.headers.get("location")]).toEqual([303, "/oauth2/sign_out"]);
});

test("what a proxy passes on of its own sign-in says nothing here: no person, no token, and no page", async () => {
  for (const authorization of ["Basic YWRhOnNlY3JldA==", "Bearer eyJhbGciOiJub25lIn0.e30.", "Negotiate YII="]) {
    const named = await readCaller(headersFrom("10.1.2.3", "ada@example.org", { authorization }));
    expect(named).toMatchObject({ kind: "session", person: { name: "ada@example.org" } });
    const cookie = await startSession(database, null);
    expect(await readCaller(new Headers({ host, origin, authorization, cookie }))).toMatchObject({ kind: "session" });
    expect(await readCaller(new Headers({ host, origin, authorization }))).toMatchObject({
      kind: "stranger",
      reason: expect.stringContaining("This token is invalid"),
    });
  }
  const ended = await readCaller(headersFrom("10.1.2.3", "ada@example.org", { authorization: "Bearer arlt_ended" }));
  expect(ended).toMatchObject({ kind: "stranger", reason: expect.stringContaining("This token is invalid") });
});

test("a name arrives as the proxy sent it, in UTF-8, and keeps the person that it garbled before", async () => {
  const sent = (name: string) => Buffer.from(name, "utf8").toString("latin1");
  const person = await database.prisma.person.create({
    data: { name: sent("José"), nameKey: sent("José").toLowerCase(), role: "editor" },
  });
  expect(await readCaller(headersFrom("10.1.2.3", sent("José")))).toMatchObject({
    person: { id: person.id, name: "José", role: "editor" },
  });
  expect(await readCaller(headersFrom("10.1.2.3", sent("Зоя")))).toMatchObject({ person: { name: "Зоя" } });
  expect(await readCaller(headersFrom("10.1.2.3", "Ren\u00e9"))).toMatchObject({ person: { name: "René" } });
  expect(await readCaller(headersFrom("10.1.2.3", sent("Аdа")))).toMatchObject({
    kind: "stranger",
    reason: expect.stringContaining("Latin and Cyrillic"),
  });
});

test("who was removed stays out, whatever role the file names, until an administrator lets them in again", async () => {
  const grace = await database.prisma.person.findUniqueOrThrow({ where: { nameKey: "grace@example.org" } });
  await database.prisma.person.create({ data: { name: "Other", nameKey: "other", role: "administrator" } });
  await removePerson(database, grace.id);
  const refused = await readCaller(headersFrom("10.1.2.3", "Grace@example.org"));
  expect(refused).toMatchObject({ kind: "stranger", reason: expect.stringMatching(/was removed here on \d{4}-/) });
  expect(await database.prisma.person.count({ where: { nameKey: "grace@example.org" } })).toBe(0);
  await expect(restorePerson(database, "nobody")).rejects.toMatchObject({ code: "not_found" });
  await restorePerson(database, "GRACE@example.org");
  expect(await readCaller(headersFrom("10.1.2.3", "grace@example.org"))).toMatchObject({ kind: "session" });
});
