import { afterAll, beforeAll, expect, test } from "vitest";
import { createSignInToken } from "#server/db/people/signInTokens.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { origin, postForm } from "./testing/requests.ts";
import { startServices, stopServices } from "./testing/services.ts";
import { POST as signIn } from "./sign-in/route.ts";
import { POST as signOut } from "./sign-out/route.ts";
import { GET as query } from "./trpc/[trpc]/route.ts";

/** Tests browser sessions: signing in, access, signing out. */

const database = await makeTestDatabase();
beforeAll(() => {
  startServices(database.url);
});
afterAll(async () => {
  await stopServices();
  await database.close();
});

const props = { params: Promise.resolve({}) };

async function signInAs(address: string, token: string): Promise<Response> {
  const headers = { "x-arlarena-address": address };
  return signIn(postForm("/api/sign-in", { headers, form: { token } }), props);
}

async function openCookie(): Promise<string> {
  const response = await signInAs("10.0.0.1", await createSignInToken(database));
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

const ask = (cookie: string, path: string, signal?: AbortSignal) =>
  query(new Request(`${origin}/api/trpc/${path}`, { headers: { cookie }, ...(signal && { signal }) }), props);

test("signing out ends the session for every copy of its cookie, and no other session", async () => {
  const [cookie, other] = [await openCookie(), await openCookie()];
  expect((await ask(cookie, "sweep.list")).status).toBe(200);
  expect((await signOut(postForm("/api/sign-out", { headers: { cookie } }), props)).status).toBe(303);
  expect((await ask(cookie, "sweep.list")).status).toBe(401);
  expect((await ask(other, "sweep.list")).status).toBe(200);
});

test("a batch of twenty calls is answered, and a longer one refused with the limit", async () => {
  const cookie = await openCookie();
  const askBatch = (num: number) => {
    const input = encodeURIComponent(
      JSON.stringify(Object.fromEntries(Array.from({ length: num }, (_, i) => [i, {}]))),
    );
    return ask(cookie, `${Array<string>(num).fill("sweep.list").join(",")}?batch=1&input=${input}`);
  };
  expect((await askBatch(20)).status).toBe(200);
  const startMs = performance.now();
  const refused = await askBatch(21);
  expect(refused.status).toBe(413);
  expect(performance.now() - startMs).toBeGreaterThan(900);
  expect(await refused.text()).toContain("the request has 21 calls, the limit is 20");
  const escaped = await ask(cookie, Array<string>(21).fill("sweep.list").join("%2C"));
  expect(await escaped.text()).toContain("the limit is 20");
});

test("a stream that is open when its session ends, ends with it", async () => {
  const cookie = await openCookie();
  const input = encodeURIComponent(JSON.stringify({}));
  const stream = await ask(cookie, `sweep.onChange?input=${input}`);
  const reader = stream.body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  await signOut(postForm("/api/sign-out", { headers: { cookie } }), props);
  const drain = async () => {
    for (;;) if ((await reader?.read())?.done !== false) return "ended";
  };
  expect(await drain().catch(() => "ended")).toBe("ended");
});

test("eleven tries in a row are one too many, for that address alone and for some seconds", async () => {
  const outcomes = [];
  for (let i = 0; i < 11; i++) outcomes.push(await signInAs("10.0.0.2", "a guess"));
  expect(outcomes.map(({ status }) => status)).toEqual([...Array<number>(10).fill(303), 429]);
  const last = outcomes.at(-1);
  expect(Number(last?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(Number(last?.headers.get("retry-after"))).toBeLessThanOrEqual(6);
  expect(await last?.text()).toContain("try again in");
  expect((await signInAs("10.0.0.3", "a guess")).status).toBe(303);
});

test("what is no form is refused by its type, and a form of a megabyte by its size", async () => {
  const json = postForm("/api/sign-in", {
    headers: { "content-type": "application/json", "x-arlarena-address": "10.0.0.4" },
  });
  expect([(await signIn(json, props)).status]).toEqual([400]);
  const large = postForm("/api/sign-in", { headers: { "x-arlarena-address": "10.0.0.4" }, form: "x".repeat(1 << 20) });
  const response = await signIn(large, props);
  expect([response.status, await response.text()]).toEqual([
    413,
    expect.stringContaining("1 MB were sent, the limit is 16 kB"),
  ]);
});
