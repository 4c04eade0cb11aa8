import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { collect } from "#server/engine/alerts/tellOutside.ts";
import { readGuesses } from "#server/db/people/changes.ts";
import { createInvitation } from "#server/db/people/invitations.ts";
import { createSignInToken } from "#server/db/people/signInTokens.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { POST as join } from "./invitation/route.ts";
import { POST as signIn } from "./sign-in/route.ts";
import { origin, postForm } from "./testing/requests.ts";
import { startServices, stopServices } from "./testing/services.ts";
import { GET as query } from "./trpc/[trpc]/route.ts";

/** Tests accounts: a person is invited, chooses a name and a password, and signs in with them. */

const database = await makeTestDatabase();
const password = "a horse that counts to nine";
beforeAll(() => {
  startServices(database.url);
});
afterAll(async () => {
  await stopServices();
  await database.close();
});

const props = { params: Promise.resolve({}) };
let numAddresses = 0;

/** Each request has its own address, so that its attempts are counted separately from other tests' attempts. */
const post = (path: string, form: Record<string, string>) =>
  postForm(path, { headers: { "x-arlarena-address": `10.77.0.${numAddresses++}` }, form });

const invite = async (role: "viewer" | "editor") => {
  const expiresAt = new Date(Date.now() + 3600_000);
  return (await createInvitation(database, { role, note: "", invitedBy: "", expiresAt })).text;
};
const accept = (form: Record<string, string>) => join(post("/api/invitation", form), props);
const enter = (form: Record<string, string>) => signIn(post("/api/sign-in", form), props);
const cookieOf = (response: Response) => response.headers.get("set-cookie")?.split(";")[0];
const whereTo = (response: Response) => response.headers.get("location") ?? "";
const ask = async (cookie: string, path: string) =>
  (await query(new Request(`${origin}/api/trpc/${path}`, { headers: { cookie } }), props)).status;

test("who is invited chooses a name and a password, once, and may do what the invitation says", async () => {
  const token = await invite("viewer");
  const tooShort = await accept({ token, name: "Ada", password: "short" });
  expect([cookieOf(tooShort), whereTo(tooShort)]).toEqual([undefined, expect.stringContaining("problem=")]);
  const joined = await accept({ token, name: "Ada", password });
  expect([joined.status, whereTo(joined)]).toEqual([303, "/sweeps"]);
  const cookie = cookieOf(joined) ?? "";
  expect([await ask(cookie, "sweep.list"), await ask(cookie, "people.invitations")]).toEqual([200, 403]);
  const again = await accept({ token, name: "Eve", password });
  expect([cookieOf(again), whereTo(again)]).toEqual([undefined, expect.stringContaining("problem=")]);
  const taken = await accept({ token: await invite("editor"), name: "ada", password });
  expect([cookieOf(taken), whereTo(taken)]).toEqual([undefined, expect.stringContaining("problem=")]);
});

test("a name comes in with its password alone, whichever way it is written, and a wrong one says nothing of whether the name is known", async () => {
  const wrong = [
    await enter({ name: "Ada", password: "another horse altogether" }),
    await enter({ name: "Nobody", password }),
  ];
  expect(wrong.map(cookieOf)).toEqual([undefined, undefined]);
  expect(new Set(wrong.map(whereTo))).toEqual(new Set([expect.stringContaining("problem=password")]));
  const right = await enter({ name: "ADA", password, next: "/runs" });
  expect([right.status, whereTo(right)]).toEqual([303, "/runs"]);
  expect(await ask(cookieOf(right) ?? "", "sweep.list")).toBe(200);
});

test(
  "nobody keeps a person out: wrong tries slow their own address down, and known browsers have tries of their own",
  { tags: "soak" },
  async () => {
    // Time stands still, because on a slow machine, passing time would allow more attempts.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const from = (address: string, form: Record<string, string>, cookie = "") =>
      signIn(postForm("/api/sign-in", { headers: { "x-arlarena-address": address, cookie }, form }), props);
    const joined = await accept({ token: await invite("editor"), name: "Grace", password });
    const cookies = joined.headers.getSetCookie().map((one) => one.split(";")[0]);
    const known = cookies.find((one) => one?.startsWith("arlarena_known=")) ?? "";
    const guess = async (address: string) =>
      (await from(address, { name: "Grace", password: "no idea at all" })).status;
    // Thirty wrong passwords come from three addresses; then one of these addresses continues.
    for (let i = 0; i < 30; i++) expect(await guess(`10.78.0.${i % 3}`)).toBe(303);
    expect(await guess("10.78.0.1")).toBe(429);
    // The right password is accepted from a different address, and from her own browser even at the blocked address.
    expect((await from("10.78.0.9", { name: "grace", password })).headers.get("location")).toBe("/sweeps");
    expect((await from("10.78.0.1", { name: "grace", password })).status).toBe(429);
    expect((await from("10.78.0.1", { name: "grace", password }, known)).headers.get("location")).toBe("/sweeps");
    // Her browser is known only for her name, and its attempts are limited too.
    expect((await from("10.78.0.1", { name: "Ada", password }, known)).status).toBe(429);
    const own = [];
    for (let i = 0; i < 11; i++)
      own.push((await from("10.78.0.7", { name: "Grace", password: "forgot" }, known)).status);
    expect([own.at(8), own.at(-1)]).toEqual([303, 429]);
    const forged = known.replace(/=\d+/, "=1");
    expect((await from("10.78.0.1", { name: "Ada", password }, forged)).status).toBe(429);
    vi.useRealTimers();
  },
);

test("a good address from the terminal and an invitation are taken, however many guesses came from the same address", async () => {
  const headers = { "x-arlarena-address": "10.79.0.1" };
  const statuses = [];
  for (let i = 0; i < 12; i++) {
    statuses.push((await signIn(postForm("/api/sign-in", { headers, form: { token: `guess ${i}` } }), props)).status);
  }
  expect(statuses.at(-1)).toBe(429);
  const invitation = { token: await invite("viewer"), name: "Linus", password };
  expect((await join(postForm("/api/invitation", { headers, form: invitation }), props)).status).toBe(303);
  const guessed = { ...invitation, token: "guess" };
  expect((await join(postForm("/api/invitation", { headers, form: guessed }), props)).status).toBe(429);
  const token = await createSignInToken(database);
  const entered = await signIn(postForm("/api/sign-in", { headers, form: { token } }), props);
  expect([entered.status, whereTo(entered)]).toEqual([303, "/sweeps"]);
});

test(
  "administrators are told of many wrong passwords once an hour: by name, by address, and over their channels",
  { tags: "soak" },
  async () => {
    await database.prisma.auditEntry.deleteMany();
    await accept({ token: await invite("editor"), name: "Edsger", password });
    await database.prisma.auditEntry.deleteMany();
    for (let i = 0; i < 25; i++) await enter({ name: "Edsger", password: `guess number ${i}` });
    const entries = await database.prisma.auditEntry.findMany();
    expect(entries).toMatchObject([
      {
        action: "sign-in",
        subject: "name=Edsger",
        problem: expect.stringMatching(/^20 wrong passwords within an hour, the/),
      },
    ]);
    expect(await readGuesses(database.pool)).toMatchObject([{ subject: "name=Edsger" }]);
    await collect(database.pool, [], { observingSince: new Date(), spent: undefined });
    await collect(database.pool, [], { observingSince: new Date(), spent: undefined });
    const notices = await database.prisma.alertNotice.findMany({ where: { kind: "guessing" } });
    expect(notices.map(({ title, path }) => [title, path])).toEqual([
      ["Many wrong passwords: name=Edsger", "/people/changes"],
    ]);
  },
);
