import { parse } from "yaml";
import { z } from "zod";
import { Elsewhere, ElsewhereList } from "#trainer/spec/elsewhere.ts";
import { AppError, badInput } from "#packages/base";
import type { Database } from "#server/db/storage/client.ts";
import { askEvaluations } from "#server/db/runs/evaluations.ts";
import { readRun } from "#server/db/runs/runs.ts";
import { isImported } from "#server/domain/plan/sweep/isImported.ts";
import { explainIssue, formatPath } from "#server/domain/plan/sweep/problems.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";

/** Reads a file of environments: one, or a list as in `evaluation.elsewhere` of a plan. Throws `bad_input`. */
export function parseElsewhere(text: string): z.infer<typeof ElsewhereList> {
  const value: unknown = readYaml(text);
  const listed = Array.isArray(value) ? value : [isEnvironment(value) ? { environment: value } : value];
  const parsed = ElsewhereList.safeParse(listed, { reportInput: true });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap(explainIssue);
  throw badInput(problems.map(({ path, message }) => ({ path: formatPath(path), message })));
}

function readYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 10 });
  } catch (error) {
    throw badInput([{ path: "", message: error instanceof Error ? error.message : String(error) }]);
  }
}

/** True for an environment alone, `{ id: sokoban, size: 7 }`. */
function isEnvironment(value: unknown): boolean {
  return typeof value === "object" && value !== null && "id" in value;
}

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
