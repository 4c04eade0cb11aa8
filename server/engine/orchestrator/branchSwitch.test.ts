// @module-tag soak
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { labelPoints, type Point, toEffective } from "#packages/detector";
import { readDetections, readUndetected } from "#server/db/analysis/detections.ts";
import { readOrigin } from "#server/db/plan/origins.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { planBranches } from "#server/domain/plan/sweep/branchPlan.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan, parsePlan, type SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { bundleTrainer } from "#server/start/bundleTrainer.ts";
import { isMeasured, trainingSuccess } from "#trainer/spec/metric.ts";
import { HeadlessStudio } from "./testing/headlessStudio.ts";

const [iterations, switched, before] = [24, 12, 10];
/** One turn solves no room of this size, so training success falls to 0 at the switch. */
const impossible = { id: "sokoban", maxTurns: 1 } as const;
const size = { numEpisodes: 16, groupSize: 4, numHeldOut: 8 };

const plan = parsePlan(`
name: origin
methods: [grpo]
environments:
  - id: curriculum
    phases:
      - { name: possible, environment: { id: sokoban }, until: { iterations: ${switched} } }
      - { name: impossible, environment: { id: sokoban, maxTurns: 1 } }
base:
  initialisation: { kind: demonstrations, numEpisodes: 100, epochs: 4 }
  rollout: { numGroups: 4, groupSize: 4, historyLength: 0, maxResponseTokens: 12 }
  evaluation: { every: 12, numEpisodes: 8 }
  budget: { iterations: ${iterations} }
  execution: { keep: [${before}, ${switched}] }
seeds: [0]
`);

let studio: HeadlessStudio;
beforeAll(async () => {
  const bundle = await bundleTrainer(join(process.env["ARLARENA_GRAPH_CACHE"] ?? ".", "branchSwitch"));
  const variables = { ARLARENA_SLOTS: "2", ARLARENA_TRAINER_BUNDLE: bundle ?? "" };
  studio = await HeadlessStudio.make(variables, () => ({ iterations: 1, everyMs: 1 }));
  studio.startOrchestrator();
});
afterAll(() => studio.close());

async function train(made: SweepPlan): Promise<string[]> {
  const sweepId = await createSweep(studio.database, { plan: made, expansion: expandPlan(made) });
  const runs = await studio.database.prisma.run.findMany({ where: { sweepId }, orderBy: { id: "asc" } });
  await studio.untilFinished((await studio.countRuns("finished")) + runs.length, 200_000);
  while ((await readUndetected(studio.database.pool, 10)).length > 0) await sleep(50);
  return runs.map(({ id }) => id);
}

/** Reads a finished run's label in hindsight. */
async function readLabel(runId: string) {
  const { sweepId } = await studio.database.prisma.run.findUniqueOrThrow({ where: { id: runId } });
  const found = (await readDetections(studio.database.pool, [sweepId])).find((one) => one.runId === runId);
  return found?.hindsight?.label;
}

/** Reads every value of a run that does not measure time or machine, from an iteration on. */
async function readValues(runId: string, from: number) {
  const { pool, prisma } = studio.database;
  const keys = (await prisma.metricName.findMany()).map(({ key }) => key).filter((key) => !isMeasured(key));
  const series = await readSeries(pool, { runIds: [runId], keys });
  return series.flatMap(({ key, iterations: at, values }) =>
    [...at].flatMap((iteration, i) => (iteration >= from ? [{ key, iteration, value: values[i] ?? NaN }] : [])),
  );
}

it(
  "labels branches at a curriculum's switch and into another environment as their origin, not as collapsed",
  { timeout: 600_000 },
  async () => {
    const [origin = ""] = await train(plan);
    const request = { kind: "branch", changes: {} } as const;
    const known = await readOrigin(studio.database, origin);
    const [same = "", other = ""] = await train(
      planBranches(known, { ...request, iteration: switched, continuations: 2 }),
    );
    const unchanged = planBranches(known, { ...request, iteration: before, continuations: 1 });
    const [elsewhere = ""] = await train(checkPlan({ ...unchanged, environments: [impossible] }));

    const whole = await readValues(origin, switched + 1);
    expect(whole.length).toBeGreaterThan(100);
    expect(await readValues(same, switched + 1)).toEqual(whole);
    expect(await readLabel(same)).toEqual(await readLabel(origin));

    for (const [runId, after] of [
      [origin, switched],
      [same, switched],
      [other, switched],
      [elsewhere, before],
    ] as const) {
      expect((await readLabel(runId))?.kind, runId).toMatch(/^(healthy|dip)$/);
      // Without the change of environment, the same success rates are a collapse.
      const own = runId === origin ? [] : await readValues(runId, after + 1);
      const curve = [
        ...(await readValues(origin, 1)).filter((one) => own.length === 0 || one.iteration <= after),
        ...own,
      ];
      const points = curve
        .filter(({ key }) => key === trainingSuccess[0])
        .map(({ iteration, value }): Point => ({ iteration, values: { "rollout/successRate": value } }));
      expect(labelPoints(points, toEffective(size)).kind, runId).toMatch(/^collapse/);
    }
  },
);
