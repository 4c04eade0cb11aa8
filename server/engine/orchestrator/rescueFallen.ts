import { AppError, formatCount } from "#packages/base";
import { countBranches, decideRescue, type FallenRun, readFallenRuns } from "#server/db/plan/rescue.ts";
import { readVersions } from "#server/db/fleet/nodeChecks.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import type { Database } from "#server/db/storage/client.ts";
import { fillVersions } from "#server/domain/fleet/nodes/check.ts";
import type { Translate } from "#server/domain/plan/sweep/translate.ts";
import { makeTranslate } from "#packages/trainers";
import { planExperiments } from "#server/engine/studies/restingRules.ts";
import type { Checks } from "./checkNodes.ts";

/** Minutes (a week) by which runs of a rescue experiment queue behind the other runs of their sweep. */
const behindMinutes = 7 * 24 * 60;

type Templates = Checks["templates"];

/** Creates planned rescue experiments: branches from checkpoints before the alarm, once per collapsed run. */
export async function rescueFallen(database: Database, templates: Templates = () => ({})): Promise<void> {
  const fallen = await readFallenRuns(database.pool);
  if (fallen.length === 0) return;
  const versions = await readVersions(database);
  const translate = makeTranslate(() => fillVersions(templates(), versions));
  for (const run of fallen) {
    await decideRescue(database.pool, run.runId, () => openRescue(database, run, translate));
  }
}

/** Creates a run's missing rescue sweeps; an interruption causes no duplicates. Returns a sentence with the result. */
async function openRescue(database: Database, run: FallenRun, translate: Translate): Promise<string> {
  try {
    const numBefore = await countBranches(database.pool, run.sweepId);
    const { fresh, numBranches } = await planExperiments(database, run, { translate, numBefore });
    for (const one of fresh) {
      const priorityMinutes = run.priorityMinutes - behindMinutes;
      await createSweep(database, { ...one, priorityMinutes, launchedBy: run.launchedBy ?? undefined });
    }
    // An orchestrator that was killed before it recorded this sentence may have created some of the sweeps.
    return `rescue experiment with ${formatCount(numBranches, "branch", "branches")} opened by the sweep's plan`;
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "internal") throw error;
    return `no rescue experiment: ${error.message}`;
  }
}
