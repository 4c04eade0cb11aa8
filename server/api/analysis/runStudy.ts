import type { Database } from "#server/db/storage/client.ts";
import { findLeftOut } from "#server/db/runs/dependentRuns.ts";
import { readFields } from "#server/db/runs/table/catalogue.ts";
import { readStudiedIds } from "#server/db/runs/table/rows.ts";
import { prepareStudy, type Choice } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import { rankConfigurations, type RankedTable, summariseRanks } from "#server/domain/analysis/hyperparameters/ranks.ts";
import { studyImportance, type ImportanceStudy } from "#server/domain/analysis/hyperparameters/study.ts";
import type { DependentCounting, LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { indexFields } from "#server/domain/runs/table/findField.ts";
import { maxStudied, type RunScope } from "#server/domain/runs/table/scope.ts";
import { resolveOrRefuse } from "../runs/runTable.ts";
import { type Parameters, readParameters, refuseMany } from "./parameters.ts";
import { readFacts } from "./readFacts.ts";

type RunStudy = Parameters & { leftOut: LeftOut | null };
type Asked = { scope: RunScope; columns: readonly string[]; dependent?: DependentCounting | undefined };

/** Returns runs with all parameters that vary between them and their outcomes, for the figures on hyperparameters. */
export async function readRunStudy(database: Database, { columns, ...asked }: Asked): Promise<RunStudy> {
  const { ids, leftOut } = await readCounted(database, asked);
  return { ...(await readParameters(database.pool, ids, columns)), leftOut };
}

/** Returns each hyperparameter's importance for an outcome, and the configurations in the order of their outcome. */
export async function readImportance(
  database: Database,
  { outcome, form, ...asked }: Asked & Choice,
): Promise<{ sentence: string; importance: ImportanceStudy; ranks: RankedTable[] }> {
  const study = prepareStudy(await readRunStudy(database, asked), { outcome, form });
  const targets = study.outcome.values.map((value) => (typeof value === "number" ? value : null));
  const ranks = rankConfigurations(study);
  const sentence = summariseRanks(ranks, study.outcome);
  return { sentence, importance: studyImportance(study.candidates, targets), ranks };
}

/** Reads the runs that count: those of sweeps, of a filter, or chosen one by one, which then all count. */
async function readCounted(database: Database, { scope, dependent }: Omit<Asked, "columns">) {
  if ("sweepIds" in scope) {
    const { runs, leftOut } = await readFacts(database, { sweepIds: scope.sweepIds, dependent, isOfMethods: true }, []);
    return { ids: runs.map(({ run }) => run.id), leftOut };
  }
  const { pool } = database;
  const chosen =
    "runIds" in scope
      ? [...new Set(scope.runIds)]
      : await readStudiedIds(pool, resolveOrRefuse(scope.filter, indexFields(await readFields(pool))), maxStudied + 1);
  // The filter reads one run more than the limit, which must be found before runs are left out.
  refuseMany(chosen);
  const counted = "runIds" in scope ? "every" : dependent;
  const { isLeftOut, leftOut } = await findLeftOut(pool, chosen, { dependent: counted, isOfMethods: true });
  return { ids: chosen.filter((id) => !isLeftOut(id)), leftOut };
}
