import { elsewhereConflictsOf } from "#trainer/spec/elsewhere.ts";
import { AppError, badInput } from "#packages/base";
import type { Database } from "#server/db/storage/client.ts";
import { askEvaluations } from "#server/db/runs/evaluations.ts";
import { readRun, readRuns } from "#server/db/runs/runs.ts";
import { refuseUnconfirmed } from "#server/domain/plan/sweep/confirmed.ts";
import { parseElsewhere } from "#server/domain/plan/sweep/file/elsewhereFile.ts";
import { maxRuns } from "#server/domain/plan/sweep/expand/widen.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";

export type Asked = {
  runIds: readonly string[];
  /** Sweeps of which all finished runs are evaluated. */
  sweepIds?: readonly string[];
  /** YAML: one environment, or a list as in `evaluation.elsewhere`. */
  environments: string;
  /** Iterations whose policies are evaluated: null is the last, 0 the policy before reinforcement learning. */
  iterations: readonly (number | null)[];
  /** Number of evaluations that the user confirmed; necessary above `askAbove`. */
  numEvaluations?: number | undefined;
  by: string | null;
  /** Makes requests unique, because identical requests share one computation. */
  requestId?: string;
};

/** Maximum number of evaluations that one request starts, as for the runs of a sweep. */
const maxEvaluations = maxRuns;

/**
 * Throws `bad_input` without finished runs, `conflict` for a named run that cannot be evaluated, and both for too many
 * evaluations.
 */
export async function askForEvaluations(database: Database, asked: Asked): Promise<number[]> {
  const { runIds: named, sweepIds = [], environments, iterations, numEvaluations: confirmed, by } = asked;
  const evaluations = parseElsewhere(environments);
  const refused = elsewhereConflictsOf({ evaluation: { elsewhere: [...evaluations] } }, "environments");
  if (refused.length > 0) throw badInput(refused);
  const ofSweeps = sweepIds.length > 0 ? await readRuns(database, { sweepIds }) : [];
  const over = ofSweeps.filter(({ status }) => isOver(status));
  const runIds = [...new Set([...named, ...over.map(({ id }) => id)])];
  if (runIds.length === 0) {
    const message =
      sweepIds.length > 0 ? `no run of ${sweepIds.join(", ")} has ended` : "name at least one run or sweep";
    throw badInput([{ path: "runIds", message }]);
  }
  const limits = { field: "numEvaluations", unit: "evaluation", max: maxEvaluations };
  const numEach = evaluations.length * iterations.length;
  // The maximum is checked before every run is read.
  refuseUnconfirmed(runIds.length * numEach, { ...limits, confirmed: runIds.length * numEach });
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
  refuseUnconfirmed(evaluable.length * numEach, { ...limits, confirmed });
  const wanted = evaluable.flatMap((runId) =>
    evaluations.flatMap((evaluation) => iterations.map((iteration) => ({ runId, evaluation, iteration }))),
  );
  return askEvaluations(database, wanted, by);
}
