import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readOrigin } from "#server/db/plan/origins.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { planBranches } from "#server/domain/plan/sweep/branchPlan.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand.ts";
import { parsePlan, type SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { bundleTrainer } from "#server/start/bundleTrainer.ts";
import { isMeasured } from "#trainer/spec/metric.ts";
import { HeadlessStudio } from "./testing/headlessStudio.ts";

const [iterations, after] = [12, 7];

/** Checkpoints of 10, 11 and 12 alone: the state after 7 is computed again. */
const plan = parsePlan(`
name: origin
methods: [grpo]
environments: [{ id: sokoban, maxTurns: 3 }]
base:
  initialisation: { kind: demonstrations, numEpisodes: 30, epochs: 1 }
  rollout: { numGroups: 4, groupSize: 4, historyLength: 0, maxResponseTokens: 12 }
  evaluation: { every: 4, numEpisodes: 6 }
  budget: { iterations: ${iterations} }
  execution: { checkpointEvery: 10 }
seeds: [0]
`);

let studio: HeadlessStudio;
beforeAll(async () => {
  const home = join(process.env["ARLARENA_GRAPH_CACHE"] ?? ".", "branchKill");
  const bundle = await bundleTrainer(home);
  const variables = { ARLARENA_SLOTS: "2", ARLARENA_GRACE_SECONDS: "4", ARLARENA_TRAINER_BUNDLE: bundle ?? "" };
  studio = await HeadlessStudio.make(variables, () => ({ iterations: 1, everyMs: 1 }));
});
afterAll(() => studio.close());

it(
  "branches outlive kill -9 of the orchestrator and of the trainer at work, and equal their run",
  { timeout: 900_000 },
  async () => {
    const { prisma, pool } = studio.database;
    const launch = async (made: SweepPlan) => {
      const sweepId = await createSweep(studio.database, { plan: made, expansion: expandPlan(made) });
      return (await prisma.run.findMany({ where: { sweepId }, orderBy: { id: "asc" } })).map(({ id }) => id);
    };
    const [origin = ""] = await launch(plan);
    studio.startOrchestrator();
    await studio.untilFinished(1, 300_000);
    const branch = planBranches(await readOrigin(studio.database, origin), {
      iteration: after,
      kind: "branch",
      continuations: 2,
      changes: {},
    });
    const [same = "", other = ""] = await launch(branch);

    const attempts = (runId: string) => prisma.attempt.findMany({ where: { runId }, orderBy: { number: "asc" } });
    const until = async (holds: () => Promise<boolean>) => {
      for (const endMs = Date.now() + 200_000; !(await holds()); await sleep(20))
        if (Date.now() > endMs) throw new Error("waited 200 s");
    };
    const isComputing = async () =>
      [...(await attempts(same)), ...(await attempts(other))].some(({ folder }) =>
        existsSync(join(folder, "origin", "events.jsonl")),
      );
    await until(isComputing);
    await studio.killOrchestrator();
    for (const { folder } of [...(await attempts(same)), ...(await attempts(other))]) killTrainer(folder);
    studio.startOrchestrator();
    const reached = async () => (await prisma.run.findMany({ where: { id: same } }))[0]?.latestIteration ?? 0;
    await until(async () => (await reached()) > after);
    await studio.killOrchestrator();
    studio.startOrchestrator();
    await studio.untilFinished(3, 400_000);
    await studio.killOrchestrator();

    await studio.expectStoredEqualsLog();
    const keys = [...new Set((await prisma.metricName.findMany()).map(({ key }) => key))].filter(
      (key) => !isMeasured(key),
    );
    const valuesOf = async (runId: string) =>
      (await readSeries(pool, { runIds: [runId], keys })).flatMap(({ key, iterations: at, values }) =>
        [...at].flatMap((iteration, i) => (iteration > after ? [[key, iteration, values[i]] as const] : [])),
      );
    const whole = await valuesOf(origin);
    expect(whole.length).toBeGreaterThan(100);
    expect(await valuesOf(same)).toEqual(whole);
    expect(await valuesOf(other)).not.toEqual(whole);
  },
);

/** kill -9 of a job's trainer; its wrapper writes the exit code. */
function killTrainer(folder: string): void {
  try {
    const leader = Number(/"pid":(\d+)/.exec(readFileSync(join(folder, "pid.json"), "utf8"))?.[1]);
    const [child = ""] = readFileSync(`/proc/${leader}/task/${leader}/children`, "utf8").trim().split(" ");
    if (Number(child) > 1) process.kill(Number(child), "SIGKILL");
  } catch {
    // It has ended already.
  }
}
