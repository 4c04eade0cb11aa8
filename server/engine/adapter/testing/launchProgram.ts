import { join } from "node:path";
import { createSweep } from "#server/db/plan/sweeps.ts";
import type { TestDatabase } from "#server/db/testing/testDatabase.ts";
import { resolveTemplate } from "#packages/trainers";
import { thisMachine } from "#server/domain/fleet/nodes/node.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { makeLocalLauncher } from "#server/engine/launchers/local.ts";
import { orchestrate } from "#server/engine/orchestrator/orchestrate.ts";

type Place = {
  database: TestDatabase;
  adapter: string;
  folder: string;
  trainers: Parameters<typeof resolveTemplate>[0];
};
type Wanted = { name: string; change?: object; base?: object; minSilenceMs?: number | undefined };

/** Creates a sweep of 20 iterations that a trainer's program trains, and starts an orchestrator on this machine. */
export async function launchProgram(place: Place, { name, change = {}, base = {}, minSilenceMs }: Wanted) {
  const { database, adapter, folder, trainers } = place;
  const plan = checkPlan({
    name,
    methods: ["grpo"],
    environments: [{ id: "sokoban" }],
    base: { trainer: { name, options: {} }, budget: { iterations: 20 }, ...base },
    seeds: [1],
    ...change,
  });
  const sweepId = await createSweep(database, { plan, expansion: expandPlan(plan) });
  const launcher = makeLocalLauncher({
    runsFolder: join(folder, "runs"),
    command: ["/bin/false"],
    external: {
      command: [process.execPath, adapter],
      resolve: (spec, at) => resolveTemplate(trainers, spec, { ...at, home: folder }),
    },
  });
  const abort = new AbortController();
  const settings = { databaseUrl: database.url, nodes: [{ node: thisMachine(2), launcher }], tickMs: 50, graceMs: 200 };
  const silence = minSilenceMs === undefined ? {} : { minSilenceMs };
  const acting = orchestrate({ ...settings, ...silence, log: () => {} }, abort.signal);
  const stop = async (): Promise<void> => {
    abort.abort();
    await acting;
  };
  return { sweepId, launcher, stop };
}
