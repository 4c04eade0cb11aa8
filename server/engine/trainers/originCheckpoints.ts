import { badInput } from "#packages/base";
import { readOriginAttempts } from "#server/db/plan/origins.ts";
import type { Database } from "#server/db/storage/client.ts";
import { listCheckpoints } from "./checkpoints.ts";
import { originOf } from "#trainer/spec/origin.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

type Cells = readonly { readonly spec: CellSpec }[];

/**
 * Checks cells that start from a checkpoint of an external run; if its files are elsewhere, the job looks for it.
 * @throws `bad_input` if the run has no checkpoint of that step.
 */
export async function refuseMissing(database: Pick<Database, "pool">, cells: Cells): Promise<void> {
  const origins = cells.flatMap(({ spec }) => (spec.trainer === undefined ? [] : (originOf(spec) ?? [])));
  const wanted = new Map(origins.map(({ run, iteration }) => [`${run} ${iteration}`, { run, iteration }]));
  for (const { run, iteration } of wanted.values()) {
    const { steps, isKnown } = await readSteps(database, run);
    if (steps.includes(iteration) || !isKnown) continue;
    const remedy =
      steps.length > 0
        ? `begin after ${steps.join(", ")}`
        : "train it again with execution.checkpointEvery, and begin from that run";
    const message = `${run} has no checkpoint of step ${iteration}; ${remedy}`;
    throw badInput([{ path: "initialisation.iteration", message }]);
  }
}

/** Returns a run's checkpoint steps here; `isKnown`: these are all, because the run trained here. */
export async function readSteps(
  database: Pick<Database, "pool">,
  run: string,
): Promise<{ steps: number[]; isKnown: boolean }> {
  const attempts = await readOriginAttempts(database, run);
  const checkpoints = await listCheckpoints(attempts.map(({ folder }) => folder));
  const steps = [...new Set(checkpoints.map(({ step }) => step))].toSorted((a, b) => a - b);
  return { steps, isKnown: attempts.every(({ isHere }) => isHere) };
}
