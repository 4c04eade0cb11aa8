// @module-tag soak
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { readSearchReport } from "#server/api/plan/searches.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { readDecisions, readOpenSearches } from "#server/db/plan/searches.ts";
import { setSpace, setTrials } from "#server/db/plan/searchLimits.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { readTrialRungs } from "#server/db/plan/trialRungs.ts";
import { replay } from "#server/domain/plan/search/replay.ts";
import { nextRung } from "#server/domain/plan/search/schedule.ts";
import { replayRungs } from "#server/domain/plan/search/replayRungs.ts";
import { scheduleOf } from "#server/domain/plan/search/searchPlan.ts";
import { joinRungs } from "#server/domain/plan/sweep/searchStep.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { exportStudy } from "#server/engine/studies/exportStudy.ts";
import { importStudy } from "#server/engine/studies/importStudy.ts";
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

/** Iteration after which a trial's runs wait for the verdict, so that they cannot end before it. */
const waitsAt = 24;
const gateOf = (home: string, learningRate: unknown) => join(home, `continues-${String(learningRate)}`);
const makeStudio = (iterations: number) =>
  HeadlessStudio.make({ ARLARENA_SLOTS: "3" }, (home) => ({
    iterations,
    everyMs: 5,
    objective: metric,
    holds: { [waitsAt]: gateOf(home, "{learningRate}") },
  }));

let studio: HeadlessStudio;
beforeAll(async () => {
  studio = await makeStudio(4);
});
afterAll(() => studio.close());

type Size = { parallel: number; trials: number };

/** Runs a search. The orchestrator is killed (SIGKILL) after each of the given numbers of decisions. */
async function carryOut(size: Size, killsAt: readonly number[]) {
  const plan = planOf(size);
  const id = await createSweep(studio.database, { plan, expansion: expandPlan(plan) });
  const read = () => readDecisions(studio.database.pool, id);
  for (const number of killsAt) {
    studio.startOrchestrator();
    while ((await read()).length < number) await sleep(50);
    await studio.killOrchestrator();
  }
  studio.startOrchestrator();
  while ((await read()).filter(({ outcome }) => outcome !== null).length < size.trials) await sleep(100);
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
  // Measured values depend only on the settings from which decisions were made.
  expect(losses).toEqual(
    undisturbed.map(({ point }) => expect.closeTo((Math.log10(Number(point["optimizer.learningRate"])) + 3) ** 2, 6)),
  );
  expect(undisturbed.at(-1)?.reason).toBe("where good trials are dense, from 6 results");
});

it("three at a time: after kill -9 every decision is what the search decides from what was known, none missing, none twice", async () => {
  const decisions = await carryOut({ parallel: 3, trials: 9 }, [4, 6]);
  const [first] = decisions;
  expect(first?.known).toEqual([]);
  // Shows that the check can fail: a forged decision has another point than the replayed one.
  const search = planOf({ parallel: 3, trials: 9 }).search;
  const forged = decisions.map((one) => ({ ...one, point: one.number === 8 ? {} : one.point }));
  expect(search && replay(search, forged).map((other) => other !== undefined)).toEqual(
    decisions.map((_, i) => i === 8),
  );
});

const rungPlan = ({ rule, parallel, trials, iterations }: Size & { rule: string; iterations: number }) =>
  parsePlan(`
name: rungs
methods: [grpo]
environments: [{ id: sokoban }]
base: { budget: { iterations: ${iterations} } }
seeds: [0, 1, 2]
search:
  sampler: { kind: tpe, seed: 3, numStartup: 3 }
  space: { optimizer.learningRate: { kind: logUniform, low: 0.00001, high: 0.1 } }
  objective: { metric: ${metric}, goal: maximize }
  trials: ${trials}
  parallel: ${parallel}
  ${rule}
`);

/** Checks that a search gives the same report after export and import into another studio. */
async function expectSameElsewhere({ database }: HeadlessStudio, id: string): Promise<void> {
  const elsewhere = await makeTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), "arlarena-search-"));
  onTestFinished(async () => {
    await elsewhere.close();
    await rm(folder, { recursive: true, force: true });
  });
  const path = join(folder, "searched.arlarena");
  await exportStudy(database, { sweepIds: [id], path, hasSamples: true });
  await importStudy(elsewhere, folder, path);
  const [here, there] = [await readSearchReport(database, id), await readSearchReport(elsewhere, id)];
  // Database rows of another studio have other ids.
  const withoutRows = (report: typeof here) =>
    report && {
      ...report,
      configurations: report.configurations.map((arm) => ({
        ...arm,
        trials: arm.trials.map((trial) => ({ ...trial, cellId: null })),
      })),
    };
  expect(withoutRows(there)).toEqual(withoutRows(here));
  expect(there?.configurations.flatMap(({ differences }) => differences)).toEqual([]);
  expect((await readOpenSearches(elsewhere.pool)).map((sweep) => sweep.id)).toEqual([]);
}

/**
 * Removes the steps of results after the last verdict. Promoted trials train their full budget at the same time, so
 * these results come in any order, and nothing is decided from it.
 */
function withoutLastSteps(decisions: Awaited<ReturnType<typeof searchOut>>["decisions"]) {
  const decided = decisions.flatMap(({ reached }) => reached.flatMap(({ step, verdict }) => (verdict ? [step] : [])));
  const last = Math.max(...decided);
  return decisions.map(({ outcomeStep, reached, ...decision }) => ({
    ...decision,
    outcomeStep: outcomeStep !== null && outcomeStep > last ? "later" : outcomeStep,
    reached: reached.map((one) => ({ ...one, step: one.step > last ? "later" : one.step })),
  }));
}

/** Runs a search with rungs. The orchestrator is killed (SIGKILL) after each of the given numbers of decisions. */
async function searchOut(where: HeadlessStudio, plan: ReturnType<typeof rungPlan>, killsAt: readonly number[]) {
  const { search } = plan;
  if (!search) throw new Error("no search");
  const id = await createSweep(where.database, { plan, expansion: expandPlan(plan) });
  const { pool, prisma } = where.database;
  const read = async () => joinRungs(await readDecisions(pool, id), await readTrialRungs(pool, id));
  const schedule = scheduleOf(search, { numSeeds: 3, numIterations: plan.base.budget?.iterations ?? NaN });
  /** Reads the trials. Trials that the search trains to the full budget may continue. */
  const open = async () => {
    const trials = await read();
    const continued = schedule && trials.filter((trial) => nextRung(schedule, trial) === schedule.rungs.length - 1);
    for (const { point } of continued ?? []) await writeFile(gateOf(where.home, point["optimizer.learningRate"]), "");
    return trials;
  };
  const countDecided = async () => {
    const trials = await open();
    return trials.length + trials.flatMap(({ reached }) => reached.filter(({ verdict }) => verdict)).length;
  };
  for (const number of killsAt) {
    where.startOrchestrator();
    while ((await countDecided()) < number) await sleep(50);
    await where.killOrchestrator();
  }
  where.startOrchestrator();
  while ((await open()).filter(({ outcome }) => outcome !== null).length < search.trials) await sleep(100);
  while ((await prisma.run.count({ where: { sweepId: id, endedAt: null } })) > 0) await sleep(100);
  const trials = await read();
  expect(schedule && replayRungs(search, schedule, { trials, limits: [] })).toEqual([]);
  const runs = await prisma.run.findMany({ where: { sweepId: id }, orderBy: { id: "asc" } });
  return { id, decisions: trials.map((trial) => ({ ...trial, cellId: null })), runs };
}

const rules = [
  ["asha of seeds", "halving: { kind: asha, of: seeds, least: 1, factor: 2, letGoOnShare: 0.5 }", 4],
  ["a race", "racing: { kind: friedman, leastSeeds: 2, level: 0.9, letGoOnShare: 0.5 }", 4],
  ["asha of iterations", "halving: { kind: asha, of: iterations, least: 2, factor: 2, letGoOnShare: 0.2 }", 32],
] as const;

it.each(rules)(
  "%s: after kill -9 every result at a rung, verdict and trial is that of an undisturbed search",
  async (_, rule, iterations) => {
    const isOfIterations = rule.includes("iterations");
    const where = isOfIterations ? await makeStudio(iterations) : studio;
    onTestFinished(() => (isOfIterations ? where.close() : undefined));
    const plan = rungPlan({ rule, parallel: 1, trials: 6, iterations });
    // One run at a time makes results arrive in a fixed order. Rungs of iterations need all three seeds together.
    const undisturbed = await searchOut(where, plan, []);
    const disturbed = await searchOut(where, plan, [2, 5, 9]);
    await expectSameElsewhere(where, disturbed.id);
    expect(withoutLastSteps(disturbed.decisions)).toEqual(withoutLastSteps(undisturbed.decisions));
    const verdicts = undisturbed.decisions.flatMap(({ reached }) =>
      reached.flatMap(({ verdict }) => verdict?.kind ?? []),
    );
    expect(new Set(verdicts)).toContain("promoted");
    expect(verdicts.some((kind) => kind !== "promoted")).toBe(true);
    if (isOfIterations) {
      const early = undisturbed.runs.filter(({ reason }) => reason === "stopped_by_rule");
      expect(early.length).toBeGreaterThan(0);
      expect(early.every(({ latestIteration }) => latestIteration < iterations)).toBe(true);
    } else {
      // Seeds for which no trial was promoted are never run.
      expect(undisturbed.runs.length).toBeLessThan(6 * 3);
      expect(disturbed.runs.map(({ seed }) => seed)).toEqual(undisturbed.runs.map(({ seed }) => seed));
    }
  },
);

it("a search ends when its budget is spent, and goes on when a person sets more trials, through kill -9", async () => {
  const plan = parsePlan(`
name: bounded
methods: [grpo]
environments: [{ id: sokoban }]
seeds: [0, 1]
search:
  sampler: { kind: random, seed: 3 }
  space: { optimizer.learningRate: { kind: logUniform, low: 0.00001, high: 0.1 } }
  objective: [{ metric: ${metric}, goal: maximize }, { metric: collapsed, goal: minimize }]
  defaultsFirst: true
  trials: 9
  parallel: 1
  budget: { runs: 4 }
`);
  const { database } = studio;
  const id = await createSweep(database, { plan, expansion: expandPlan(plan) });
  const report = async () => {
    const [arm] = (await readSearchReport(database, id))?.configurations ?? [];
    if (!arm) throw new Error("no report");
    return { ...arm, numWhole: arm.trials.filter(({ state }) => state === "whole").length };
  };
  studio.startOrchestrator();
  while ((await report()).limit === null) await sleep(100);
  await studio.killOrchestrator();
  const ended = await report();
  expect([ended.trials.length, ended.maxTrials, ended.limit]).toEqual([
    2,
    2,
    { kind: "ended", reason: "the budget of 4 runs is spent: 4 were begun" },
  ]);
  const { learningRate } = expandPlan(plan).cells[0]?.spec.optimizer ?? {};
  expect(ended.trials[0]).toMatchObject({
    point: { "optimizer.learningRate": learningRate },
    reason: "the configuration's own settings",
  });
  await setTrials(database, id, 4);
  const rate = { kind: "logUniform" as const, low: 0.00001, high: 0.3 };
  await setSpace(database, id, { "optimizer.learningRate": rate });
  studio.startOrchestrator();
  while ((await report()).numWhole < 4) await sleep(100);
  await setTrials(database, id, 2);
  const { maxTrials, limit, front, trials, differences } = await report();
  expect([maxTrials, limit, differences]).toEqual([4, { kind: "widened", reason: "a person widened the space" }, []]);
  expect(trials.map(({ values }) => values[1])).toEqual([0, 0, 0, 0]);
  const best = trials.toSorted((a, b) => (b.value ?? NaN) - (a.value ?? NaN))[0];
  expect([front?.numbers, front?.shares.at(-1)?.share]).toEqual([[best?.number], expect.closeTo(1)]);
  await expectSameElsewhere(studio, id);
  await expect(setTrials(database, "none", 4)).rejects.toThrow("no sweep with the id none");
});
