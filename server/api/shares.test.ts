import { afterAll, beforeAll, expect, it } from "vitest";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import type { Caller } from "./people/caller.ts";
import { createCaller } from "./root.ts";
import { makeAnalystHere } from "./testing/analystHere.ts";

let database: TestDatabase;
let notifications: Notifications;

beforeAll(async () => {
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  await insertSweep(database, "rooms", ["r0", "r1"]);
  await insertSweep(database, "many", ["m0", "m1", "m2", "m3", "m4"]);
  await database.prisma.run.updateMany({ data: { status: "finished", latestIteration: 20 } });
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

/** Calls procedures for a person; `asked` receives the names of the analyses, all computed in other processes. */
function callAs(id: number, asked: string[] = []) {
  const here = makeAnalystHere(database);
  const ask: typeof here.ask = (name, input) => {
    asked.push(name);
    return here.ask(name, input);
  };
  const caller: Caller = { kind: "session", isSameOrigin: true, person: { id, name: `${id}`, role: "editor" } };
  return createCaller({ database, notifications, analyst: { ...here, ask }, caller });
}

it("performs one person's call before the last of another's hundred", async () => {
  const ended: number[] = [];
  const search = (id: number) =>
    callAs(id)
      .palette.search({ text: "r" })
      .then(() => ended.push(id));
  await Promise.all([...Array.from({ length: 100 }, () => search(1)), search(2)]);
  expect(ended.indexOf(2)).toBeLessThan(20);
});

it("expands plans and lists evaluations outside the web process", async () => {
  const asked: string[] = [];
  const caller = callAs(1, asked);
  const plan = checkPlan({ name: "p", environments: [{ id: "sokoban" }], methods: ["grpo"], seeds: [0] });
  expect(await caller.sweep.preview(plan)).toEqual({ cells: [], numCells: 1, models: [] });
  await caller.sweep.create(plan);
  const rescue = { run: "r0", iterations: [1], continuations: 1 };
  const { numRuns } = await caller.sweep.rescueSize(rescue);
  await caller.sweep.branch({ run: "r0", iteration: 1 });
  expect((await caller.sweep.rescue(rescue)).ids).toHaveLength(1);
  await caller.run.evaluate({ runIds: ["r0"], environments: "{ id: sokoban, size: 6 }" });
  expect(asked).toEqual(["preview", "launch", "rescueSize", "branch", "rescueLaunch", "evaluation"]);
  expect(numRuns).toBeGreaterThan(1);
});

it("launches both of two equal plans that are sent at once", async () => {
  const plan = checkPlan({ name: "twice", environments: [{ id: "sokoban" }], methods: ["grpo"], seeds: [0] });
  const [one, other] = await Promise.all([callAs(1).sweep.create(plan), callAs(1).sweep.create(plan)]);
  expect(one?.id).not.toBe(other?.id);
});

it("refuses a rescue of too many runs, and asks for the number of a large one in the request itself", async () => {
  const { sweep } = callAs(1);
  const large = { run: "r0", iterations: [1], continuations: 300 };
  const { numRuns } = await sweep.rescueSize(large);
  const before = await database.prisma.run.count();
  const question = `confirm the number with numRuns: ${numRuns}`;
  await expect(sweep.rescue(large)).rejects.toThrow(question);
  await expect(sweep.rescue({ ...large, numRuns: numRuns - 1 })).rejects.toThrow(question);
  const many = { ...large, iterations: [1, 2, 3, 4, 5, 6, 7, 8, 9], continuations: 1000 };
  await expect(sweep.rescue(many)).rejects.toThrow("the limit is 10,000 runs");
  expect(await database.prisma.run.count()).toBe(before);
  await sweep.rescue({ ...large, numRuns });
  expect(await database.prisma.run.count()).toBe(before + numRuns);
});

it("asks for the number of many evaluations, and stores none before", async () => {
  const { run } = callAs(1);
  const runIds = ["m0", "m1", "m2", "m3", "m4"];
  const sizes = Array.from(
    { length: 12 },
    (_, i) => `- { name: e${i}, environment: { id: sokoban, size: ${5 + (i % 6)} } }`,
  );
  const asked = { runIds, environments: sizes.join("\n"), iterations: Array.from({ length: 20 }, (_, i) => i) };
  await expect(run.evaluate(asked)).rejects.toThrow("confirm the number with numEvaluations: 1200");
  expect(await run.evaluations({ runIds })).toEqual([]);
  expect(await run.evaluate({ ...asked, numEvaluations: 1200 })).toHaveLength(1200);
});
