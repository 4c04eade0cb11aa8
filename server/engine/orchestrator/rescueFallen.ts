import { AppError, formatCount } from "#packages/base";
import {
  countBranches,
  decideRescue,
  type FallenRun,
  findPlanNames,
  readFallenRuns,
} from "#server/db/plan/rescueTriggers.ts";
import { readVersions } from "#server/db/fleet/nodeChecks.ts";
import { readOrigin } from "#server/db/plan/origins.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import type { Database } from "#server/db/storage/client.ts";
import { fillVersions } from "#server/domain/fleet/nodes/check.ts";
import type { Translate } from "#server/domain/plan/sweep/translate.ts";
import { readSteps, refuseMissing } from "#server/engine/trainers/originCheckpoints.ts";
import { makeTranslate } from "#packages/trainers";
import type { Checks } from "./checkNodes.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand.ts";
import { iterationsBefore, planRescue, toKept } from "#server/domain/plan/sweep/rescuePlan.ts";

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
async function openRescue(
  database: Database,
  { runId, sweepId, alarm, rule, ...run }: FallenRun,
  translate: Translate,
): Promise<string> {
  try {
    const origin = await readOrigin(database, runId);
    const { before, arms, continuations, budget } = rule;
    const { steps } = origin.spec.trainer ? await readSteps(database, runId) : { steps: [] };
    const experiments = toKept(iterationsBefore(alarm, before), steps)
      .map((iteration) => planRescue(origin, { iteration, continuations, arms }, translate))
      .map((plan) => ({ plan, expansion: expandPlan(plan, translate) }));
    const names = experiments.map(({ plan }) => plan.name);
    const known = await findPlanNames(database.pool, names);
    const fresh = experiments.filter(({ plan }) => !known.has(plan.name));
    for (const { expansion } of fresh) await refuseMissing(database, expansion.cells);
    const numNew = countRuns(fresh);
    const numBefore = await countBranches(database.pool, sweepId);
    if (numBefore + numNew > budget) {
      return `no rescue experiment: ${formatCount(numNew, "new branch", "new branches")} and the ${numBefore} of this sweep exceed rescue.budget, ${budget}`;
    }
    for (const one of fresh) {
      const priorityMinutes = run.priorityMinutes - behindMinutes;
      await createSweep(database, { ...one, priorityMinutes, launchedBy: run.launchedBy ?? undefined });
    }
    // An orchestrator that was killed before it recorded this sentence may have created some of the sweeps.
    return `rescue experiment with ${formatCount(countRuns(experiments), "branch", "branches")} opened by the sweep's plan`;
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "internal") throw error;
    return `no rescue experiment: ${error.message}`;
  }
}

function countRuns(experiments: readonly { expansion: { runs: readonly unknown[] } }[]): number {
  return experiments.reduce((sum, { expansion }) => sum + expansion.runs.length, 0);
}
