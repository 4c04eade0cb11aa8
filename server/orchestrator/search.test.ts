import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readDecisions } from "#server/db/searches.ts";
import { createSweep } from "#server/db/sweeps.ts";
import { replay } from "#server/domain/search/replay.ts";
import { expandPlan } from "#server/domain/sweep/expand.ts";
import { parsePlan } from "#server/domain/sweep/plan.ts";
import { HeadlessStudio } from "./testing/headlessStudio.ts";

const metric = "rollout/successRate";
const planOf = ({ parallel, trials }: { parallel: number; trials: number }) =>
  parsePlan(`
name: searched
methods: [grpo]
environments: [{ id: sokoban }]
seeds: [0]
search:
  sampler: { kind: tpe, seed: 3, numStartup: 3 }
  space: { optimizer.learningRate: { kind: logUniform, low: 0.00001, high: 0.1 }, optimizer.weightDecay: { kind: uniform, low: 0, high: 0.1 } }
  objective: { metric: ${metric}, goal: maximize }
  trials: ${trials}
  parallel: ${parallel}
`);

let studio: HeadlessStudio;
beforeAll(async () => {
  studio = await HeadlessStudio.make({ ARLARENA_SLOTS: "3" }, () => ({
    iterations: 4,
    everyMs: 20,
    objective: metric,
  }));
});
afterAll(() => studio.close());

type Size = { parallel: number; trials: number };

/** Carries a search out, the orchestrator killed (-9) whenever so many trials have been drawn. */
async function carryOut(size: Size, killsAt: readonly number[]) {
  const plan = planOf(size);
  const id = await createSweep(studio.database, { plan, expansion: expandPlan(plan) });
  const read = () => readDecisions(studio.database.pool, id);
  for (const number of killsAt) {
    studio.startOrchestrator();
    while ((await read()).length < number) await sleep(23);
    await studio.killOrchestrator();
  }
  studio.startOrchestrator();
  while ((await read()).filter(({ outcome }) => outcome !== null).length < size.trials) await sleep(50);
  const decisions = await read();
  expect(decisions.map(({ number }) => number)).toEqual(Array.from({ length: size.trials }, (_, i) => i));
  expect(await studio.database.prisma.run.count({ where: { sweepId: id } })).toBe(size.trials);
  expect(plan.search && replay(plan.search, decisions)).toEqual(decisions.map(() => undefined));
  return decisions.map((decision) => ({ ...decision, cellId: null }));
}

it("one trial at a time: after kill -9 of the orchestrator the decisions are those of an undisturbed search", async () => {
  const size = { parallel: 1, trials: 7 };
  const undisturbed = await carryOut(size, []);
  const disturbed = await carryOut(size, [2, 5]);
  expect(disturbed).toEqual(undisturbed);
  const losses = undisturbed.map(({ outcome }) => (outcome?.kind === "measured" ? outcome.losses[0] : undefined));
  // What was measured is what the stand-in makes of the settings, and it is what decisions were made from.
  expect(losses).toEqual(
    undisturbed.map(({ point }) => expect.closeTo((Math.log10(Number(point["optimizer.learningRate"])) + 3) ** 2, 6)),
  );
  expect(undisturbed.at(-1)?.reason).toBe("where good trials are dense, from 6 results");
});

it("three at a time: after kill -9 every decision is what the search decides from what was known, none missing, none twice", async () => {
  const decisions = await carryOut({ parallel: 3, trials: 9 }, [4, 6]);
  const [first] = decisions;
  expect(first?.known).toEqual([]);
  // The check can fail: another result, and later decisions are no longer what was kept.
  const search = planOf({ parallel: 3, trials: 9 }).search;
  const forged = decisions.map((one) => ({ ...one, reason: one.number === 8 ? "because" : one.reason }));
  expect(search && replay(search, forged).map((other) => other !== undefined)).toEqual(
    decisions.map((_, i) => i === 8),
  );
});
