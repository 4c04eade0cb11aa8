import { afterAll, expect, it } from "vitest";
import { readSearchReport } from "#server/api/plan/searches.ts";
import { createCaller } from "#server/api/root.ts";
import { makeAnalystHere } from "#server/api/testing/analystHere.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { addTrial } from "./addTrial.ts";
import { setSpace, setTrials } from "./searchLimits.ts";
import { createSweep } from "./sweeps.ts";
import { makeNotifications } from "../storage/notifications.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

const planOf = (sampler: string) =>
  parsePlan(`
name: ${sampler}
methods: [grpo, sapo]
environments: [{ id: sokoban }]
seeds: [0, 1]
search:
  sampler: { kind: ${sampler} }
  defaultsFirst: true
  space:
    optimizer.learningRate: { kind: logUniform, low: 0.00001, high: 0.1 }
    update.minibatchRows: { kind: choice, of: [64, 128, 512] }
  objective: { metric: rollout/successRate, goal: maximize }
  trials: 3
  parallel: 1
`);
async function launch(sampler: string): Promise<string> {
  const plan = planOf(sampler);
  return createSweep(database, { plan, expansion: expandPlan(plan) });
}
const point = { "optimizer.learningRate": 0.001, "update.minibatchRows": 64 };
const asked = (rest: object = {}) => ({ configuration: 1, point, reason: "another program drew it", ...rest });

it("adds trials of another program with every seed, in their configuration, and replays none of them", async () => {
  const id = await launch("external");
  expect(await addTrial(database, id, asked())).toBe(1);
  expect(await addTrial(database, id, asked({ point: { ...point, "update.minibatchRows": 128 } }))).toBe(2);
  const { configurations = [] } = (await readSearchReport(database, id)) ?? {};
  expect(configurations.map(({ trials }) => trials.length)).toEqual([1, 3]);
  expect(configurations[1]?.trials[1]).toMatchObject({ point, state: "running", reason: "another program drew it" });
  expect(configurations.flatMap(({ differences }) => differences)).toEqual([]);
  expect(await database.prisma.run.count({ where: { sweepId: id } })).toBe(8);
  await expect(addTrial(database, id, asked())).rejects.toThrow(
    "this configuration already has 3 of 3 trials: raise the number of trials first",
  );
  await setTrials(database, id, 4);
  expect(await addTrial(database, id, asked({ point: { ...point, "optimizer.learningRate": 0.1 } }))).toBe(3);
});

it.each([
  ["external", { configuration: 2 }, "configuration: is 2, must be 0 to 1 in this search"],
  [
    "external",
    { point: { ...point, "optimizer.learningRate": 1 } },
    "point.optimizer.learningRate: is 1, must be 0.00001 to 0.1",
  ],
  ["external", { point: { "optimizer.learningRate": 0.1 } }, "point.update.minibatchRows: is missing"],
  ["external", { point: { ...point, depth: 2 } }, "point.depth: is not a parameter of this search"],
  ["tpe", {}, "this search samples its own trials (sampler tpe)"],
])("of a search by %s refuses %j: %s", async (sampler, rest, message) => {
  await expect(addTrial(database, await launch(sampler), asked(rest))).rejects.toThrow(message);
});

it("draws from a wider space once it is widened, and knows later which decisions were made from which", async () => {
  const id = await launch("external");
  const wider = {
    "optimizer.learningRate": { kind: "logUniform" as const, low: 0.00001, high: 0.5 },
    "update.minibatchRows": { kind: "choice" as const, of: [64, 128, 512, 256] },
  };
  await setSpace(database, id, wider);
  const far = { "optimizer.learningRate": 0.4, "update.minibatchRows": 256 };
  expect(await addTrial(database, id, asked({ point: far }))).toBe(1);
  const narrower = { ...wider, "optimizer.learningRate": { kind: "logUniform" as const, low: 0.001, high: 0.5 } };
  await expect(setSpace(database, id, narrower)).rejects.toThrow(
    "space.optimizer.learningRate: covers 0.001 to 0.5, must cover at least 0.00001 to 0.5",
  );
  const turned = { ...wider, "update.minibatchRows": { kind: "choice" as const, of: [128, 64, 512, 256] } };
  await expect(setSpace(database, id, turned)).rejects.toThrow("must begin with 64, 128, 512, 256");
  const refused = { ...wider, "optimizer.learningRate": { kind: "logUniform" as const, low: 0.00001, high: 5000 } };
  await expect(setSpace(database, id, refused)).rejects.toThrow("search.space.optimizer.learningRate");
});

it("accepts the index of the configuration under its former name for one version", async () => {
  const id = await launch("external");
  const notifications = makeNotifications(database.url);
  const caller = { kind: "session", isSameOrigin: true, person: null } as const;
  const { sweep } = createCaller({ database, notifications, analyst: makeAnalystHere(database), caller });
  expect(await sweep.addTrial({ id, point, arm: 1 })).toEqual({ number: 1 });
  expect(await sweep.addTrial({ id, point, configuration: 1 })).toEqual({ number: 2 });
  await notifications.close();
});
