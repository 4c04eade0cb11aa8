import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "@commander-js/extra-typings";
import { AppError } from "#packages/base";
import type { Database } from "#server/db/storage/client.ts";
import { readInputFile } from "../inputFile.ts";
import type { Outcome, Performer } from "../command.ts";
import { toColumns } from "../views/columns.ts";

export function addEvaluate(program: Command, { performInStudio }: Performer): void {
  program
    .command("evaluate")
    .description("evaluate the policies of finished runs in other environments, and wait for the results")
    .argument("<RUN...>", "runs, or sweeps whose ended runs are all evaluated")
    .requiredOption(
      "--in <FILE>",
      "one environment in YAML, or a list like evaluation.elsewhere in a sweep file; - for standard input",
    )
    .option(
      "--iteration <K...>",
      "evaluate after these iterations instead of the last; 0: before reinforcement learning",
    )
    .action((runs, { in: file, iteration }) =>
      performInStudio(async ({ database }) => {
        const iterations = iteration?.map(toIteration) ?? [null];
        return evaluateRuns(database, { runIds: runs, text: await readInputFile(file), iterations });
      }),
    );
}

function toIteration(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new AppError("bad_input", `--iteration is "${text}", must be a whole number of at least 0`);
}

type Asked = { runIds: readonly string[]; text: string; iterations: readonly (number | null)[] };

/** Requests evaluations of finished runs and waits until all have ended. Exit code 1 if an evaluation failed. */
export async function evaluateRuns(
  database: Database,
  { runIds, text, iterations }: Asked,
  lookEveryMs = 1000,
): Promise<Outcome> {
  const [{ parseElsewhere }, { askForEvaluations }, { readEvaluations }] = await Promise.all([
    import("#server/domain/plan/sweep/elsewhereFile.ts"),
    import("#server/api/runs/evaluations.ts"),
    import("#server/db/runs/evaluations.ts"),
  ]);
  const sweeps = await database.prisma.sweep.findMany({ where: { id: { in: [...runIds] } }, select: { id: true } });
  const sweepIds = sweeps.map(({ id }) => id);
  const own = runIds.filter((id) => !sweepIds.includes(id));
  const ids = await askForEvaluations(
    database,
    { runIds: own, sweepIds, evaluations: parseElsewhere(text), iterations },
    "command line",
  );
  let all = await readEvaluations(database, { ids });
  while (all.some(({ state }) => state === "waiting" || state === "running")) {
    await sleep(lookEveryMs);
    all = await readEvaluations(database, { ids });
  }
  const rows = all.map(({ runId, evaluation, iteration, result, problem, state }) => [
    runId,
    evaluation.name ?? evaluation.environment.id,
    String(result?.iteration ?? iteration ?? "last"),
    result ? (100 * result.successRate).toFixed(1) : "",
    result?.turns.toFixed(1) ?? "",
    result?.policySha256.slice(0, 12) ?? problem ?? state,
  ]);
  const columns = ["RUN", "IN", "ITERATION", "SUCCESS %", "TURNS", "POLICY"];
  const table = toColumns(columns, rows, { width: undefined, hasColour: false });
  const isWhole = all.every(({ state }) => state === "done");
  return { text: table, json: { evaluations: all }, exitCode: isWhole ? 0 : 1 };
}
