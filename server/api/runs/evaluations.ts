import type { z } from "zod";
import type { Elsewhere } from "#trainer/spec/elsewhere.ts";
import { AppError } from "#packages/base";
import type { Database } from "#server/db/storage/client.ts";
import { askEvaluations } from "#server/db/runs/evaluations.ts";
import { readRun } from "#server/db/runs/runs.ts";
import { isImported } from "#server/domain/plan/sweep/isImported.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";

export type Asked = {
  runIds: readonly string[];
  evaluations: readonly z.infer<typeof Elsewhere>[];
  /** Null: the last one. 0: before reinforcement learning. */
  iterations: readonly (number | null)[];
};

/** Asks for evaluations of finished runs. Throws `conflict` for a run that left no policy here. */
export async function askForEvaluations(
  database: Database,
  { runIds, evaluations, iterations }: Asked,
  by: string | null,
): Promise<number[]> {
  for (const runId of runIds) {
    const { spec, status } = await readRun(database, runId);
    const problem = isImported(spec)
      ? "was imported: it left no policy here"
      : spec.trainer
        ? `was trained by "${spec.trainer.name}"; only policies of the built-in trainer are evaluated`
        : spec.policy.pretrained !== undefined
          ? "has a pretrained model, which only its plan evaluates elsewhere: name the environment in evaluation.elsewhere"
          : isOver(status)
            ? undefined
            : "has not ended yet: it is evaluated after its training";
    if (problem !== undefined) throw new AppError("conflict", `run ${runId} ${problem}`);
  }
  const asked = runIds.flatMap((runId) =>
    evaluations.flatMap((evaluation) => iterations.map((iteration) => ({ runId, evaluation, iteration }))),
  );
  return askEvaluations(database, asked, by);
}
