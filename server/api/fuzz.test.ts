import { afterAll, beforeAll, expect, test } from "vitest";
import { TRPCError } from "@trpc/server";
import { z } from "zod";
import { makeNotifications, type Notifications } from "../db/notifications.ts";
import { insertAttempt, insertSweep } from "../db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "../db/testing/testDatabase.ts";
import { appRouter, createCaller } from "./root.ts";

/** Every procedure, with each field of its input made hostile in turn: refused in our own words, never a crash. */

let database: TestDatabase;
let notifications: Notifications;
beforeAll(async () => {
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  await insertSweep(database, "a", ["a"]);
  await insertAttempt(database, "a", 1);
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

const deep = Array.from({ length: 2000 }).reduce<unknown>((inside) => [inside], 1);
const hostile: readonly unknown[] = [
  "a\0b",
  "\ud800",
  "x".repeat(100_000),
  "'; DROP TABLE run; --",
  "../../etc/passwd",
  "__proto__",
  "",
  2 ** 31,
  2 ** 53,
  -1,
  1e308,
  NaN,
  Infinity,
  0.5,
  null,
  true,
  [],
  {},
  ["a\0b"],
  JSON.parse('{"__proto__": {"isAdmin": true}}'),
  { "a\0b": 1 },
  deep,
];

type Schema = {
  type?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  pattern?: string;
  required?: string[];
};

/** A plain input that a schema takes, near enough. */
function exampleOf(schema: Schema): unknown {
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return exampleOf(choice);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const { type = "any" } = schema;
  switch (type) {
    case "object": {
      const entries = Object.entries(schema.properties ?? {});
      const needed = entries.filter(([key]) => schema.required?.includes(key));
      return Object.fromEntries(needed.map(([key, inside]) => [key, exampleOf(inside)]));
    }
    case "array":
      return schema.items ? [exampleOf(schema.items)] : [];
    case "integer":
    case "number":
      return Math.max(1, schema.minimum ?? 1);
    case "boolean":
      return false;
    case "string":
      return schema.pattern?.includes("0-9a-f") ? "0123456789" : "a";
    default:
      return "a";
  }
}

/** The input itself and with every one of its fields, at most two levels down, replaced by the value. */
function* spoil(example: unknown, value: unknown, depth = 0): Generator {
  yield value;
  if (typeof example !== "object" || example === null || depth === 2) return;
  for (const [key, inside] of Object.entries(example)) {
    for (const spoilt of spoil(inside, value, depth + 1)) {
      yield Array.isArray(example) ? [spoilt] : { ...example, [key]: spoilt };
    }
  }
}

type Definition = { _def: { type: string; inputs: readonly unknown[] } };
// Flat at run time ("sweep.list"), nested in the types.
const flat: unknown = appRouter._def.procedures;
// What plays is fuzzed where it plays, in processes of its own.
const procedures = Object.entries(flat as Record<string, Definition>).filter(
  ([path]) => !path.startsWith("environment."),
);

async function call(path: string, input: unknown): Promise<unknown> {
  const stopping = new AbortController();
  const context = { database, notifications, isSignedIn: true, isSameOrigin: true };
  const caller: unknown = createCaller(context, { signal: stopping.signal });
  const procedure = path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], caller);
  try {
    const answer = await (procedure as (input: unknown) => Promise<unknown>)(input);
    if (typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer) {
      const stream = answer as AsyncIterable<unknown>;
      for await (const _ of stream) break;
    }
    return undefined;
  } catch (error) {
    return error;
  } finally {
    stopping.abort();
  }
}

const insides = /prisma|postgres|\bsql\b|syntax error|relation "|node_modules|\bat \S+:\d+|invocation|0x00/i;

function inputsOf(inputs: readonly unknown[]): unknown[] {
  const [schema] = inputs;
  if (!(schema instanceof z.ZodType)) return [undefined];
  const example = exampleOf(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema);
  return [example, ...hostile.flatMap((value) => [...spoil(example, value)])];
}

test.each(procedures.map(([path, { _def }]) => [path, _def.inputs] as const))(
  "%s survives hostile inputs and shows nothing of its insides",
  async (path, inputs) => {
    const problems: unknown[] = [];
    for (const input of inputsOf(inputs)) {
      const error = await call(path, input);
      if (error === undefined) continue;
      const isOurs = error instanceof TRPCError && error.code !== "INTERNAL_SERVER_ERROR";
      if (isOurs && !insides.test(error.message)) continue;
      problems.push([JSON.stringify(input)?.slice(0, 200), error instanceof Error ? error.message : error]);
    }
    expect(problems).toEqual([]);
  },
);

test("there are inputs to spoil", () => {
  expect(procedures.flatMap(([, { _def }]) => inputsOf(_def.inputs)).length).toBeGreaterThan(1000);
});
