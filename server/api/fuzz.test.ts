import { afterAll, beforeAll, expect, test } from "vitest";
import { TRPCError } from "@trpc/server";
import { z } from "zod";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { appRouter, createCaller } from "./root.ts";
import { exampleFor, hostile, insides, spoil } from "./testing/hostile.ts";
import { makeAnalystHere } from "./testing/analystHere.ts";

/**
 * Calls every procedure with each input field replaced by hostile values in turn. Each call must be rejected with our
 * own message and never crash.
 */

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

type Definition = { _def: { type: string; inputs: readonly unknown[] } };
// Procedures have flat names at run time ("sweep.list"), but nested types.
const flat: unknown = appRouter._def.procedures;
// Procedures that play episodes are tested in fuzzPlay.test.ts.
const procedures = Object.entries(flat as Record<string, Definition>).filter(
  ([path]) => !path.startsWith("environment."),
);

async function call(path: string, input: unknown): Promise<unknown> {
  const stopping = new AbortController();
  const context = {
    database,
    notifications,
    analyst: makeAnalystHere(database),
    caller: { kind: "session" as const, isSameOrigin: true, person: null },
  };
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

function inputsOf(inputs: readonly unknown[]): unknown[] {
  const [schema] = inputs;
  if (!(schema instanceof z.ZodType)) return [undefined];
  const example = exampleFor(schema);
  return [example, ...hostile.flatMap((value) => [...spoil(example, value)])];
}

/** Procedures whose valid example is left out: it would import a study, as shippedStudies.test.ts does. */
const slow = ["study.open"];

test.each(procedures.map(([path, { _def }]) => [path, _def.inputs] as const))(
  "%s survives hostile inputs and shows nothing of its insides",
  async (path, inputs) => {
    const problems: unknown[] = [];
    for (const input of inputsOf(inputs).slice(slow.includes(path) ? 1 : 0)) {
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
