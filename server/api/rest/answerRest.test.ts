import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiToken, readApiToken } from "#server/db/people/apiTokens.ts";
import { makeNotifications } from "#server/db/storage/notifications.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import type { Scope } from "#server/domain/people/access.ts";
import type { Context } from "../trpc.ts";
import { answerRest } from "./answerRest.ts";
import { toPlain } from "./callProcedure.ts";
import { makeAnalystHere } from "../testing/analystHere.ts";

const database = await makeTestDatabase();
const notifications = makeNotifications(database.url);
const contexts: Partial<Record<"reader" | "writer", Context>> = {};

async function makeContext(...scopes: Scope[]): Promise<Context> {
  const valid = await readApiToken(database, await createApiToken(database, { name: "test", scopes }));
  if (!valid) throw new Error("a token that was just made is not valid");
  return { database, notifications, analyst: makeAnalystHere(database), caller: { kind: "token", ...valid } };
}

beforeAll(async () => {
  contexts.reader = await makeContext("read");
  contexts.writer = await makeContext("read", "write");
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

type Sent = { method?: string; query?: Record<string, string>; body?: unknown; key?: string; as?: "reader" | "writer" };

async function send(path: string, { method, query = {}, body, key, as = "writer" }: Sent = {}) {
  const context = contexts[as];
  if (!context) throw new Error("no context");
  const request = {
    method: method ?? (body === undefined ? "GET" : "POST"),
    path,
    search: new URLSearchParams(query),
    body: typeof body === "string" ? body : JSON.stringify(body ?? {}),
  };
  return answerRest(context, request, key ?? null);
}

const plan = (name: string) => ({
  name,
  methods: ["grpo"],
  environments: [{ id: "sokoban" }],
  seeds: [0],
  base: { budget: { iterations: 1 } },
});

describe("the REST API", () => {
  test("reads and changes what the pages do", async () => {
    const created = await send("sweep/create", { body: plan("by a program") });
    expect(created.status).toBe(200);
    const { id } = created.body as { id: string };
    const read = await send("sweep/byId", { query: { id } });
    expect(read.body).toMatchObject({
      id,
      name: "by a program",
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    expect((await send("sweep/delete", { body: { id } })).status).toBe(200);
    expect((await send("sweep/byId", { query: { id } })).status).toBe(404);
  });

  test("reads parameters as JSON where the procedure wants no text", async () => {
    const rows = await send("runTable/rows", {
      query: { filter: "", columns: "[]", order: "[]", offset: "0", limit: "5" },
    });
    expect([rows.status, rows.body]).toMatchObject([200, { rows: expect.any(Array) as unknown[] }]);
  });

  test.each<[string, Sent, number, string]>([
    ["sweep/lst", {}, 404, "there is nothing at this address"],
    ["__proto__/toString", {}, 404, "there is nothing at this address"],
    ["sweep/list", { method: "POST" }, 405, "sweep/list is called with GET, not POST"],
    ["sweep/pause", { method: "GET" }, 405, "sweep/pause is called with POST, not GET"],
    ["sweep/list", { method: "DELETE" }, 405, "sweep/list is called with GET, not DELETE"],
    ["sweep/byId", {}, 400, "id: "],
    ["sweep/byId", { query: { id: "none" } }, 404, "there is no sweep none"],
    ["sweep/byId", { query: { id: "x", more: "1" } }, 400, "more"],
    ["sweep/byId", { query: { id: "x", limit: "2" } }, 404, "there is no sweep"],
    ["sweep/list", { query: { more: "1" } }, 400, "more: unknown parameter; this procedure takes none"],
    ["sweep/list", { query: { limit: "0" } }, 400, 'limit: a whole number from 1 to 1000, not "0"'],
    ["sweep/list", { query: { offset: "-1" } }, 400, 'offset: a whole number from 0 to 2147483647, not "-1"'],
    [
      "system/health",
      { query: { limit: "1" } },
      400,
      "limit, offset: the answer is not a list, so remove these parameters",
    ],
    ["table/final", { query: { sweepIds: "a", metric: "m" } }, 400, 'sweepIds: "a" is not valid JSON'],
    ["sweep/create", { body: "{" }, 400, "the body is not valid JSON"],
    ["sweep/create", { body: plan("x"), as: "reader" }, 403, "this request needs the scope write"],
    ["people/invite", { body: { role: "viewer" } }, 403, "this request needs the scope administer"],
    [
      "people/invite",
      { body: { role: "viewer" }, key: "a" },
      400,
      "does not accept this header, because its answer is not stored",
    ],
    ["sweep/create", { body: plan("x"), key: "with space" }, 400, "Idempotency-Key: 1 to 200 visible"],
  ])("%s %j is refused", async (path, sent, status, words) => {
    const answer = await send(path, sent);
    expect([answer.status, (answer.body as { problem: string }).problem]).toEqual([
      status,
      expect.stringContaining(words) as string,
    ]);
  });

  test("lists are read in parts, each with the whole length and the address of the next", async () => {
    for (const name of ["a", "b", "c"]) await send("report/create", { body: { title: name, body: "" } });
    const first = await send("report/list", { query: { limit: "2" } });
    expect(first.headers).toEqual({
      "x-total-count": "3",
      link: '</api/v1/report/list?limit=2&offset=2>; rel="next"',
    });
    const rest = await send("report/list", { query: { limit: "2", offset: "2" } });
    expect(rest.headers).toEqual({ "x-total-count": "3" });
    const titles = [first, rest].flatMap(({ body }) => (body as { title: string }[]).map(({ title }) => title));
    expect(titles.toSorted()).toEqual(["a", "b", "c"]);
  });
});

describe("an Idempotency-Key", () => {
  const numSweeps = () => database.prisma.sweep.count();

  test("makes a repeated request one, with the first answer, also where both come at once", async () => {
    const before = await numSweeps();
    const sent = { body: plan("once"), key: "launch-1" };
    const answers = await Promise.all([send("sweep/create", sent), send("sweep/create", sent)]);
    // The second request is refused as concurrent, or gets the stored response.
    expect(answers.filter(({ status, headers }) => status === 200 && headers === undefined)).toHaveLength(1);
    expect([200, 409]).toContain(Math.max(...answers.map(({ status }) => status)));
    const again = await send("sweep/create", sent);
    const first = answers.find(({ headers, status }) => status === 200 && headers === undefined);
    expect(again).toEqual({ status: 200, body: first?.body, headers: { "idempotent-replayed": "true" } });
    expect(await numSweeps()).toBe(before + 1);
  });

  test("belongs to one request and one token", async () => {
    const before = await numSweeps();
    const other = await send("sweep/create", { body: plan("another"), key: "launch-1" });
    expect([other.status, other.body]).toEqual([409, { problem: "Idempotency-Key: another request has this key" }]);
    const stranger = await makeContext("write");
    const request = {
      method: "POST",
      path: "sweep/create",
      search: new URLSearchParams(),
      body: JSON.stringify(plan("once")),
    };
    expect((await answerRest(stranger, request, "launch-1")).status).toBe(200);
    expect(await numSweeps()).toBe(before + 1);
  });

  test("is free again after a refusal, and says since when it is open where the studio was killed", async () => {
    expect((await send("sweep/create", { body: { name: "" }, key: "launch-2" })).status).toBe(400);
    expect((await send("sweep/create", { body: plan("after a refusal"), key: "launch-2" })).status).toBe(200);
    await database.pool.query("UPDATE keyed_request SET status = NULL, answer = NULL WHERE key = 'launch-2'");
    const open = await send("sweep/create", { body: plan("after a refusal"), key: "launch-2" });
    expect([open.status, (open.body as { problem: string }).problem]).toEqual([
      409,
      expect.stringMatching(/a request with this key came at \d{4}-.*Z and has no answer yet$/) as string,
    ]);
    await database.pool.query("UPDATE keyed_request SET created_at = now() - interval '25 hours'");
    expect((await send("sweep/create", { body: plan("a day later"), key: "launch-2" })).status).toBe(200);
  });
});

test("an expired token and a revoked one are not valid", async () => {
  const token = await createApiToken(database, { name: "old", scopes: ["read"], expiresAt: new Date(Date.now() - 1) });
  expect(await readApiToken(database, token)).toBeUndefined();
});

test("numbers that JSON lacks are strings, dates ISO 8601, typed arrays arrays", () => {
  const value = { a: [Number.NaN, -Infinity, 1], b: new Date(0), c: Float64Array.of(0.5, Infinity), d: undefined };
  expect(JSON.stringify(toPlain(value))).toBe(
    '{"a":["NaN","-Infinity",1],"b":"1970-01-01T00:00:00.000Z","c":[0.5,"Infinity"]}',
  );
});
