import { badInput } from "#packages/base";
import { readOriginAttempts } from "#server/db/plan/origins.ts";
import type { Database } from "#server/db/storage/client.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { listCheckpoints } from "#server/engine/trainers/checkpoints.ts";

/**
 * Throws `bad_input` if a plan begins from another trainer's run that has no checkpoint of that step. Checkpoints on
 * machines that this one cannot read are looked up by the job itself.
 */
export async function refuseMissing(database: Pick<Database, "pool">, { base }: SweepPlan): Promise<void> {
  const { initialisation } = base;
  if (initialisation?.kind !== "branch" && initialisation?.kind !== "run") return;
  const { run, iteration, origin } = initialisation;
  if (origin?.trainer === undefined) return;
  const attempts = await readOriginAttempts(database, run);
  const checkpoints = await listCheckpoints(attempts.map(({ folder }) => folder));
  const steps = [...new Set(checkpoints.map(({ step }) => step))].toSorted((a, b) => a - b);
  const isUnknown = attempts.length > 0 && !attempts.every(({ isHere }) => isHere);
  if (steps.includes(iteration) || isUnknown) return;
  const remedy =
    steps.length > 0
      ? `begin after ${steps.join(", ")}`
      : "train it again with execution.checkpointEvery, and begin from that run";
  throw badInput([{ path: "initialisation.iteration", message: `${run} has no checkpoint of step ${iteration}; ${remedy}` }]);
}
