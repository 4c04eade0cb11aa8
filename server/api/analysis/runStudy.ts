import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { Database } from "#server/db/storage/client.ts";
import { findLeftOut } from "#server/db/runs/dependentRuns.ts";
import { readFields } from "#server/db/runs/table/catalogue.ts";
import {
  type CellValue,
  readNames,
  readRunsById,
  readSpecs,
  readStudiedIds,
  type RunTableRow,
} from "#server/db/runs/table/rows.ts";
import { prepareStudy, type Choice } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import { rankConfigurations, type RankedTable, summariseRanks } from "#server/domain/analysis/hyperparameters/ranks.ts";
import { studyImportance, type ImportanceStudy } from "#server/domain/analysis/hyperparameters/study.ts";
import type { DependentCounting, LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { AppError } from "#packages/base";
import type { Field } from "#server/domain/runs/table/field.ts";
import { type FieldIndex, findVaried, indexFields, type Varied } from "#server/domain/runs/table/findField.ts";
import { maxStudied, type RunScope } from "#server/domain/runs/table/scope.ts";
import { resolveOrRefuse } from "../runs/runTable.ts";
import { chooseUsual } from "../runs/usualMetric.ts";

export type RunStudy = {
  /**
   * Method, environment, hyperparameters, and parameters that a tracker received, as far as they differ between the
   * runs.
   */
  parameters: Field[];
  /**
   * Outcome columns: the requested ones, or the main metric's final value; then label, iteration of collapse, and
   * start.
   */
  outcomes: Field[];
  /** Runs, each with its values in the order of `parameters` (environments by title), followed by `outcomes`. */
  runs: RunTableRow[];
  /** All metrics of which at least one run has a value. */
  metrics: string[];
  constant: { title: string; value: string }[];
  leftOut: LeftOut | null;
};

type Asked = { scope: RunScope; columns: readonly string[]; dependent?: DependentCounting | undefined };

/** Returns runs with all parameters that vary between them and their outcomes, for the figures on hyperparameters. */
export async function readRunStudy({ pool }: Database, { scope, columns, dependent }: Asked): Promise<RunStudy> {
  const fields = await readFields(pool);
  const index = indexFields(fields);
  const chosen = await readIds(pool, scope, index);
  // Dependent runs that are chosen one by one all count.
  const { isLeftOut, leftOut } = await findLeftOut(pool, chosen, {
    dependent: "runIds" in scope ? "every" : dependent,
    isOfMethods: true,
  });
  const ids = chosen.filter((id) => !isLeftOut(id));
  const [specs, { metrics, tracked }] = await Promise.all([readSpecs(pool, ids), readNames(pool, ids)]);
  const { varied, constant } = findVaried(specs, fields);
  const asked = columns.flatMap((key) => index.find(key) ?? []);
  const usual = index.find(`final.${await chooseUsual({ pool }, ids, metrics)}`);
  const outcomes = [...new Set([...asked, ...(asked.length === 0 && usual ? [usual] : []), ...listAlways(index)])];
  const candidates = listParameters({ varied, constant }, tracked, index);
  const runs = await readRunsById(pool, ids, [...candidates, ...outcomes]);
  return {
    ...keepVaried(runs, candidates, outcomes),
    outcomes,
    metrics,
    constant: constant.map(({ field, value }) => ({ title: field.title, value })),
    leftOut,
  };
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

async function readIds(pool: Database["pool"], scope: RunScope, index: FieldIndex): Promise<readonly string[]> {
  if ("runIds" in scope) return [...new Set(scope.runIds)];
  const ids = await readStudiedIds(
    pool,
    "filter" in scope ? resolveOrRefuse(scope.filter, index) : scope,
    maxStudied + 1,
  );
  if (ids.length > maxStudied) {
    throw new AppError(
      "too_large",
      `more than ${maxStudied.toLocaleString("en-US")} runs; filter them in the table of runs`,
    );
  }
  return ids;
}

function listAlways(index: FieldIndex): Field[] {
  return ["hindsight", "collapsedAt", "started"].flatMap((key) => index.find(key) ?? []);
}

function listParameters({ varied }: Varied, tracked: readonly string[], index: FieldIndex): Field[] {
  const names = ["method", "environment", ...tracked.map((name) => `param.${name}`)].flatMap(
    (key) => index.find(key) ?? [],
  );
  // The environment's id is already a field of every run.
  return [...names, ...varied.filter(({ key }) => key !== "environment.id")];
}

/** Drops method, environment and parameters that a tracker received if their values are equal in all runs. */
function keepVaried(
  runs: readonly RunTableRow[],
  candidates: readonly Field[],
  outcomes: readonly Field[],
): Pick<RunStudy, "parameters" | "runs"> {
  const isVaried = candidates.map(
    ({ group }, i) => group === "Hyperparameter" || new Set(runs.map(({ values }) => values[i])).size > 1,
  );
  const environmentIndex = candidates.findIndex(({ key }) => key === "environment");
  const nameAt = (value: CellValue, i: number) =>
    i === environmentIndex && typeof value === "string" ? titleOfEnvironment(value) : value;
  const isKept = [...isVaried, ...outcomes.map(() => true)];
  return {
    parameters: candidates.filter((_, i) => isVaried[i]),
    runs: runs.map((run) => ({ ...run, values: run.values.map(nameAt).filter((_, i) => isKept[i]) })),
  };
}
