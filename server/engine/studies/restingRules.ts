import { AppError, formatCount } from "#packages/base";
import { readUndetected } from "#server/db/analysis/detections.ts";
import { countBranches, type FallenRun, findPlanNames, readFallenRuns } from "#server/db/plan/rescue.ts";
import { readOrigin } from "#server/db/plan/origins.ts";
import { readRestingTrials, wakeRules } from "#server/db/plan/restingRules.ts";
import { readSweep } from "#server/db/plan/sweeps.ts";
import type { Database } from "#server/db/storage/client.ts";
import { refuseUnconfirmed } from "#server/domain/plan/sweep/confirmed.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { iterationsBefore, toKept } from "#server/domain/plan/rescue/branchingPoints.ts";
import { planRescue } from "#server/domain/plan/sweep/rescuePlan.ts";
import type { RestingRules } from "#server/domain/plan/stopping/restingRules.ts";
import type { Translate } from "#server/domain/plan/sweep/translate.ts";
import { readSteps, refuseMissing } from "#server/engine/trainers/originCheckpoints.ts";

/** `numBefore`: branches of the sweep's runs so far. */
type Planning = { translate: Translate; numBefore: number };

/**
 * Plans the rescue experiments that a sweep's rule opens for a collapsed run; `fresh` are those not created yet.
 * @throws `AppError` if the rule opens none, with the reason.
 */
export async function planExperiments(
  database: Database,
  { runId, alarm, rule }: FallenRun,
  { translate, numBefore }: Planning,
) {
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
  const numFresh = countRuns(fresh);
  if (numBefore + numFresh > budget) {
    const message = `${formatCount(numFresh, "new branch", "new branches")} and the ${numBefore} of this sweep exceed rescue.budget, ${budget}`;
    throw new AppError("conflict", message);
  }
  return { fresh, numFresh, numBranches: countRuns(experiments) };
}

function countRuns(experiments: readonly { expansion: { runs: readonly unknown[] } }[]): number {
  return experiments.reduce((sum, { expansion }) => sum + expansion.runs.length, 0);
}

/** Counts the runs that an imported sweep's rules would start, without starting any. Throws `conflict` if none rest. */
export async function readRestingRules(database: Database, id: string, translate: Translate): Promise<RestingRules> {
  const { name, importedAt, intent, plan } = await readSweep(database, id);
  if (importedAt === null || !(plan?.rescue || plan?.search))
    throw new AppError("conflict", `${name} has no resting rules: only those of an imported sweep rest`);
  if (intent !== "run")
    throw new AppError("conflict", `${name} is ${intent === "pause" ? "paused: resume it first" : "cancelled"}`);
  const isJudging = plan.rescue !== undefined && (await readUndetected(database.pool, 1, [id])).length > 0;
  const numBefore = await countBranches(database.pool, id);
  let [numCollapsed, numBranches] = [0, 0];
  const refusals: string[] = [];
  for (const run of await readFallenRuns(database.pool, id)) {
    try {
      const planning = { translate, numBefore: numBefore + numBranches };
      const { numFresh } = await planExperiments(database, run, planning);
      numCollapsed += numFresh > 0 ? 1 : 0;
      numBranches += numFresh;
    } catch (error) {
      if (!(error instanceof AppError) || error.code === "internal") throw error;
      refusals.push(`${run.runId}: ${error.message}`);
    }
  }
  const { numTrials, numTrialRuns } = await readRestingTrials(database.pool, id, plan);
  const numRuns = numBranches + numTrialRuns;
  return { isJudging, numCollapsed, numBranches, refusals, numTrials, numTrialRuns, numRuns };
}

type Letting = { id: string; numRuns: number | undefined; translate: Translate };

/** Lets the rules of an imported sweep act as if it had been launched here. The request states the number of runs. */
export async function letRulesAct(database: Database, { id, numRuns, translate }: Letting): Promise<RestingRules> {
  const rules = await readRestingRules(database, id, translate);
  if (rules.isJudging)
    throw new AppError("conflict", "runs of this sweep are being labelled, so their branches cannot be counted yet");
  refuseUnconfirmed(rules.numRuns, { field: "numRuns", unit: "run", confirmed: numRuns, max: Infinity, unasked: 0 });
  await wakeRules(database.pool, id);
  return rules;
}
