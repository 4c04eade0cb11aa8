import { AppError, formatCount } from "#packages/base";
import {
  countBranches,
  type FallenRun,
  findPlanNames,
  readFallenRuns,
  recordRescue,
} from "#server/db/plan/fallenRuns.ts";
import { readOrigin } from "#server/db/plan/origins.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import type { Database } from "#server/db/storage/client.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand.ts";
import { iterationsBefore, planRescue } from "#server/domain/plan/sweep/rescuePlan.ts";

/** Minutes by which the branches queue behind the runs of their sweep: a week. */
const behindMinutes = 7 * 24 * 60;

/** Opens the rescue experiments that plans ask for (`rescue`), once for each fallen run. */
export async function rescueFallen(database: Database): Promise<void> {
  for (const run of await readFallenRuns(database.pool)) {
    await recordRescue(database.pool, run.runId, await openRescue(database, run));
  }
}

/** Creates the sweeps that are not there yet; a kill in between repeats none. Returns what was done, in a sentence. */
async function openRescue(database: Database, { runId, sweepId, alarm, rule, ...run }: FallenRun): Promise<string> {
  try {
    const origin = await readOrigin(database, runId);
    const { before, arms, continuations, budget } = rule;
    const plans = iterationsBefore(alarm, before).map((iteration) =>
      planRescue(origin, { iteration, continuations, arms }),
    );
    const known = await findPlanNames(
      database.pool,
      plans.map(({ name }) => name),
    );
    const fresh = plans.filter(({ name }) => !known.has(name)).map((plan) => ({ plan, expansion: expandPlan(plan) }));
    const numNew = fresh.reduce((sum, { expansion }) => sum + expansion.runs.length, 0);
    const numBefore = await countBranches(database.pool, sweepId);
    if (numBefore + numNew > budget) {
      return `no rescue experiment: its ${formatCount(numNew, "branch", "branches")} and the ${numBefore} of this sweep are more than rescue.budget, ${budget}`;
    }
    for (const one of fresh) {
      const priorityMinutes = run.priorityMinutes - behindMinutes;
      await createSweep(database, { ...one, priorityMinutes, launchedBy: run.launchedBy ?? undefined });
    }
    return `rescue experiment with ${formatCount(numNew, "branch", "branches")} opened by the sweep's plan`;
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "internal") throw error;
    return `no rescue experiment: ${error.message}`;
  }
}
