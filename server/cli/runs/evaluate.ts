import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "@commander-js/extra-typings";
import { AppError } from "#packages/base";
import type { Database } from "#server/db/storage/client.ts";
import { askAbove } from "#server/domain/plan/sweep/confirmed.ts";
import { withConfirmation } from "../confirm.ts";
import { toCount } from "../options.ts";
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
    .option("--num-evaluations <N>", `confirm the number of evaluations; necessary above ${askAbove}`, toCount)
    .action((runs, { in: file, iteration, numEvaluations }) =>
      performInStudio(async ({ database }) => {
        const iterations = iteration?.map(toIteration) ?? [null];
        const asked = { runIds: runs, text: await readInputFile(file), iterations };
        return withConfirmation("numEvaluations", (confirmed) =>
          evaluateRuns(database, { ...asked, numEvaluations: numEvaluations ?? confirmed }),
        );
      }),
    );
}

function toIteration(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new AppError("bad_input", `--iteration is "${text}", must be a whole number of at least 0`);
}

type Asked = {
  runIds: readonly string[];
  text: string;
  iterations: readonly (number | null)[];
  numEvaluations?: number | undefined;
};

/** Requests evaluations of finished runs and waits until all have ended. Exit code 1 if an evaluation failed. */
export async function evaluateRuns(
  database: Database,
  { runIds, text, iterations, numEvaluations }: Asked,
  lookEveryMs = 1000,
): Promise<Outcome> {
  const [{ askForEvaluations }, { readEvaluations }] = await Promise.all([
    import("#server/api/runs/evaluations.ts"),
    import("#server/db/runs/evaluations.ts"),
  ]);
  const sweeps = await database.prisma.sweep.findMany({ where: { id: { in: [...runIds] } }, select: { id: true } });
  const sweepIds = sweeps.map(({ id }) => id);
  const own = runIds.filter((id) => !sweepIds.includes(id));
  const asked = { runIds: own, sweepIds, environments: text, iterations, numEvaluations };
  const ids = await askForEvaluations(database, { ...asked, by: "command line" });
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
