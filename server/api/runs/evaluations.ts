import type { z } from "zod";
import { unplayable, type Elsewhere } from "#trainer/spec/elsewhere.ts";
import { AppError, badInput } from "#packages/base";
import type { Database } from "#server/db/storage/client.ts";
import { askEvaluations } from "#server/db/runs/evaluations.ts";
import { readRun, readRuns } from "#server/db/runs/runs.ts";
import { isImported } from "#server/domain/plan/sweep/isImported.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";

export type Asked = {
  runIds: readonly string[];
  /** Sweeps of which all finished runs are evaluated. */
  sweepIds?: readonly string[];
  evaluations: readonly z.infer<typeof Elsewhere>[];
  /** Iterations whose policies are evaluated: null is the last, 0 the policy before reinforcement learning. */
  iterations: readonly (number | null)[];
};

/** Throws `bad_input` without finished runs, and `conflict` for a named run that cannot be evaluated. */
export async function askForEvaluations(
  database: Database,
  { runIds: named, sweepIds = [], evaluations, iterations }: Asked,
  by: string | null,
): Promise<number[]> {
  for (const [i, { environment }] of evaluations.entries()) {
    if (environment.id === "custom")
      throw badInput([{ path: `environments[${i}].environment.id`, message: unplayable }]);
  }
  const ofSweeps = sweepIds.length > 0 ? await readRuns(database, { sweepIds }) : [];
  const over = ofSweeps.filter(({ status }) => isOver(status));
  const runIds = [...new Set([...named, ...over.map(({ id }) => id)])];
  if (runIds.length === 0) {
    const message =
      sweepIds.length > 0 ? `no run of ${sweepIds.join(", ")} has ended` : "name at least one run or sweep";
    throw badInput([{ path: "runIds", message }]);
  }
  const evaluable: string[] = [];
  for (const runId of runIds) {
    const { spec, status } = await readRun(database, runId);
    const problem = isImported(spec)
      ? "was imported, so the studio has no policy of it"
      : spec.trainer
        ? `was trained by "${spec.trainer.name}"; only policies of the built-in trainer are evaluated`
        : spec.policy.pretrained !== undefined
          ? "has a pretrained model, which is evaluated elsewhere only if the plan names the environment in evaluation.elsewhere"
          : isOver(status)
            ? undefined
            : "has not ended yet: it is evaluated after its training";
    if (problem === undefined) evaluable.push(runId);
    // Runs of sweeps that cannot be evaluated are skipped, unless none can be; a run named by the caller is an error.
    else if (named.includes(runId) || (runId === runIds.at(-1) && evaluable.length === 0))
      throw new AppError("conflict", `run ${runId} ${problem}`);
  }
  const asked = evaluable.flatMap((runId) =>
    evaluations.flatMap((evaluation) => iterations.map((iteration) => ({ runId, evaluation, iteration }))),
  );
  return askEvaluations(database, asked, by);
}
