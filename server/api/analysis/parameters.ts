import { titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { Pool } from "#server/db/storage/client.ts";
import { readFields } from "#server/db/runs/table/catalogue.ts";
import { type CellValue, readNames, readRunsById, readSpecs, type RunTableRow } from "#server/db/runs/table/rows.ts";
import { AppError } from "#packages/base";
import type { Field } from "#server/domain/runs/table/field.ts";
import { type FieldIndex, findVaried, indexFields, type Varied } from "#server/domain/runs/table/findField.ts";
import { maxStudied } from "#server/domain/runs/table/scope.ts";
import { chooseUsual } from "../runs/usualMetric.ts";

export type Parameters = {
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
};

/** Throws `too_large` for more runs than a study reads. */
export function refuseMany(ids: readonly string[]): void {
  if (ids.length <= maxStudied) return;
  throw new AppError(
    "too_large",
    `more than ${maxStudied.toLocaleString("en-US")} runs; filter them in the table of runs`,
  );
}

/** Reads the parameters that vary between runs, and their outcomes. Throws `too_large` for too many runs. */
export async function readParameters(
  pool: Pool,
  ids: readonly string[],
  columns: readonly string[] = [],
): Promise<Parameters> {
  refuseMany(ids);
  const fields = await readFields(pool);
  const index = indexFields(fields);
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
  };
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
): Pick<Parameters, "parameters" | "runs"> {
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
