import { badInput } from "#packages/base";
import { readOriginAttempts, readReached } from "#server/db/plan/origins.ts";
import type { Database } from "#server/db/storage/client.ts";
import { listCheckpoints } from "./checkpoints.ts";
import { originOf } from "#trainer/spec/origin.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

type Cells = readonly { readonly spec: CellSpec }[];

/**
 * Checks cells that start from another run. Checkpoints of an external run whose files are elsewhere are unknown here.
 * @throws `bad_input` if the run ended before that iteration, or has no checkpoint of that step.
 */
export async function refuseMissing(database: Pick<Database, "pool">, cells: Cells): Promise<void> {
  await refuseUnreached(database, cells);
  if (cells.some(({ spec }) => originOf(spec)))
    await (await import("#server/engine/playground/originWords.ts")).refuseUnknownWords(cells);
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

/** External trainers count their own steps, of which only their checkpoints are known. */
async function refuseUnreached(database: Pick<Database, "pool">, cells: Cells): Promise<void> {
  const origins = cells.flatMap(({ spec }) => (spec.trainer === undefined ? (originOf(spec) ?? []) : []));
  if (origins.length === 0) return;
  const reached = await readReached(database, [...new Set(origins.map(({ run }) => run))]);
  for (const { run, iteration } of origins) {
    const end = reached.get(run);
    if (!end || iteration <= end.iteration) continue;
    const message = `is ${iteration}, must be at most ${end.iteration}: ${run} ended (${end.status}) after iteration ${end.iteration}`;
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
