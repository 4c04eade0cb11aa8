import { afterAll, beforeAll, expect, test } from "vitest";
import { createInvitation } from "#server/db/invitations.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { POST as join } from "./invitation/route.ts";
import { POST as signIn } from "./sign-in/route.ts";
import { origin, postForm } from "./testing/requests.ts";
import { startServices, stopServices } from "./testing/services.ts";
import { GET as query } from "./trpc/[trpc]/route.ts";

/** A person's way through the doors: invited, come in with a name and a password, and come in by them again. */

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

/** Each from an address of its own, whose tries are counted apart: from those of other tests of this process as well. */
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

test("tries of one name are limited, from however many addresses they come", async () => {
  const statuses = [];
  for (let i = 0; i < 30; i++) statuses.push((await enter({ name: "Grace", password: `guess number ${i}` })).status);
  expect(statuses.at(0)).toBe(303);
  expect(statuses.at(-1)).toBe(429);
});
