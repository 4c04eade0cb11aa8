import { groupBy } from "#packages/base";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import { elsewhereOf } from "#trainer/spec/elsewhere.ts";
import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { partsOf } from "#trainer/spec/environmentParts.ts";
import { nameOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { readEvaluations, type StoredEvaluation } from "#server/db/runs/evaluations.ts";
import type { RunRow } from "#server/db/runs/runs.ts";
import { endsOf, reportTransfer, type TransferReport, type TransferRun } from "#server/domain/analysis/transfer.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { labelEnvironments } from "#server/domain/plan/sweep/labels/labels.ts";
import { titleOfLabel } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import type { TransferMeasure } from "#server/domain/analysis/transfer.ts";
import { readTableStudy, type TableStudy } from "../runs/tableInput.ts";
import type { ScopedMethods } from "./studyRuns.ts";

export type Transfer = TransferReport & {
  titles: Readonly<Record<string, string>>;
  /** True if an evaluation in another environment has a score besides its success rate. */
  hasScore: boolean;
  /** True if a cell trains a built-in policy (not pretrained): only these can be evaluated after training. */
  isEvaluable: boolean;
  runs: readonly TransferRun[];
  study: TableStudy;
  /** Id of the last included evaluation that was requested after training; 0 if there is none. */
  lastEvaluation: number;
  isOpen: boolean;
};

export type AskedTransfer = ScopedMethods & {
  measure: TransferMeasure;
  /** Id of the last evaluation after training to include; if absent, all finished evaluations are included. */
  evaluations?: number | undefined;
};

export async function readTransfer(
  database: Database,
  { measure, evaluations = Infinity, ...asked }: AskedTransfer,
): Promise<Transfer> {
  const study = await readTableStudy(database, asked);
  const all = await readEvaluations(database, { runIds: study.runs.map(({ id }) => id) });
  const stored = all.filter(({ id, state }) => id <= evaluations && state === "done");
  const runs = await readTransferRuns(database, { ...study, stored }, measure);
  return {
    ...reportTransfer(runs),
    titles: titleEnvironments(study, stored),
    isEvaluable: study.cells.filter(isOwn).some(({ spec }) => !spec.trainer && spec.policy.pretrained === undefined),
    hasScore:
      stored.some(({ result }) => result?.score !== undefined) ||
      study.metrics.some((key) => /^evaluation\/(elsewhere|in)\/[^/]+\/score$/.test(key)),
    runs,
    study,
    lastEvaluation: Math.max(0, ...stored.map(({ id }) => id)),
    isOpen: all.some(({ state }) => state === "waiting" || state === "running"),
  };
}

type Cell = TableStudy["cells"][number] & { spec: CellSpec };

type Stored = readonly StoredEvaluation[];

/**
 * Returns the runs that were evaluated in several environments, with their success in each. A run on a mixture or
 * curriculum also gets its success in each part, from evaluations with more tasks per part than its own.
 */
async function readTransferRuns(
  database: Database,
  { cells, runs, metrics, stored }: TableStudy & { stored: Stored },
  measure: TransferMeasure,
): Promise<TransferRun[]> {
  const own = new Map(cells.filter(isOwn).map((cell) => [cell.id, cell]));
  const storedOf = groupBy(stored, ({ runId }) => runId);
  const asked = new Set(runs.filter(({ id }) => storedOf.has(id)).map(({ cellId }) => cellId));
  const hasSources = metrics.some((key) => sourceOf(key) !== undefined);
  const isInSeveral = ({ spec }: Cell) =>
    elsewhereOf(spec).length + partsOf(spec.environment).length > 0 || (hasSources && readsSources(spec));
  const cellOf = new Map([...own].filter(([id, cell]) => asked.has(id) || isInSeveral(cell)));
  const evaluated = runs.filter(({ cellId }) => cellOf.has(cellId));
  const isWanted = new RegExp(`^evaluation/((elsewhere|in)/[^/]+/)?${measure}$`);
  const sources = measure === "successRate" ? metrics.filter((key) => sourceOf(key) !== undefined) : [];
  const keys = [...metrics.filter((key) => isWanted.test(key)), ...sources];
  const series = await readSeries(database.pool, { runIds: evaluated.map(({ id }) => id), keys });
  const curveOf = new Map(series.map((curve) => [`${curve.runId} ${curve.key}`, curve]));
  const configurationOf = nameConfigurations([...cellOf.values()]);
  return evaluated.flatMap(({ id, cellId, seed, ...run }): TransferRun[] => {
    const cell = cellOf.get(cellId);
    if (!cell) return [];
    const last = lastOf(cell, run);
    const read = (key: string) => endsOf(curveOf.get(`${id} ${key}`), last);
    const environment = keyOf(cell.spec.environment);
    const parts = partsOf(cell.spec.environment);
    const values: Values = new Map(parts.length > 0 ? [] : [[environment, read(`evaluation/${measure}`)]]);
    for (const { name, environment: part } of parts) {
      values.set(keyOf(part), read(`evaluation/in/${name}/${measure}`));
    }
    for (const { name, environment: other } of elsewhereOf(cell.spec)) {
      const isOwnTask = other.id === "custom" && keyOf(other) === environment;
      if (!isOwnTask) values.set(keyOf(other), read(`evaluation/elsewhere/${name}/${measure}`));
    }
    for (const key of readsSources(cell.spec) ? sources : []) {
      if (curveOf.has(`${id} ${key}`)) values.set(sourceOf(key) ?? key, read(key));
    }
    for (const { evaluation, result } of storedOf.get(id) ?? []) {
      const key = keyOf(evaluation.environment);
      const value = result?.[measure] ?? NaN;
      // Values from evaluations during the run take precedence over stored evaluations.
      const { before = NaN, after = NaN } = values.get(key) ?? {};
      values.set(key, {
        before: result?.iteration === 0 && Number.isNaN(before) ? value : before,
        after: result?.iteration === last && Number.isNaN(after) ? value : after,
      });
    }
    return [{ runId: id, seed, configuration: configurationOf(cell), environment, values }];
  });
}

/** Returns the plan's last iteration, or the latest of another trainer's finished run: TRL counts optimizer steps. */
function lastOf(
  { spec, iterations }: Cell,
  { status, reason, latestIteration }: Omit<RunRow, "id" | "cellId" | "seed">,
) {
  const countsItself = spec.trainer !== undefined && status === "finished" && reason !== "stopped_by_rule";
  return countsItself ? latestIteration : iterations;
}

type Values = Map<string, { before: number; after: number }>;

/** Returns the key of an environment in the table of transfer. A custom task is identified by its title only. */
function keyOf(environment: EnvironmentSpec): string {
  return environment.id === "custom" ? nameOfEnvironment(environment) : canonicalJson(environment);
}

/** Returns the data source that a metric's name contains; undefined for other metrics. */
function sourceOf(key: string): string | undefined {
  return /^taskSuccess\/(.+)$/.exec(key)?.[1];
}

/** True if `taskSuccess` metrics are named by data sources, as other trainers log them, not by task types. */
function readsSources({ trainer, environment }: CellSpec): boolean {
  return trainer !== undefined && (environment.id === "custom" || environment.id === "tirMath");
}

function isOwn(cell: TableStudy["cells"][number]): cell is Cell {
  return !isImported(cell.spec);
}

/**
 * Names cells by method and varied settings, omitting the environment at the start of labels if a sweep has several.
 */
function nameConfigurations(cells: readonly Cell[]): (cell: Cell) => string {
  const environments = groupBy(cells, ({ sweepId }) => sweepId);
  return ({ sweepId, method, label }) => {
    const alike = environments.get(sweepId) ?? [];
    const hasSeveral = new Set(alike.map(({ spec }) => canonicalJson(spec.environment))).size > 1;
    const axes = label
      .split(" · ")
      .slice(hasSeveral ? 1 : 0)
      .join(" · ");
    return axes === "" ? method : `${method} · ${titleOfLabel(axes)}`;
  };
}

/** Titles each environment by its name in the plans if unambiguous, else by the settings that distinguish it. */
function titleEnvironments({ cells }: TableStudy, stored: Stored): Record<string, string> {
  const specs = cells.filter(isOwn).map(({ spec }) => spec);
  const all = new Map<string, EnvironmentSpec>();
  const names = new Map<string, string>();
  for (const spec of specs) all.set(keyOf(spec.environment), spec.environment);
  const parts = specs.flatMap(({ environment }) => partsOf(environment));
  const evaluations = [...specs.flatMap(elsewhereOf), ...parts, ...stored.map(({ evaluation }) => evaluation)];
  for (const { name, environment } of evaluations) {
    const key = keyOf(environment);
    if (environment.id === "custom" && all.has(key)) continue;
    all.set(key, environment);
    if (name !== undefined && environment.id !== "custom" && !names.has(key)) names.set(key, name);
  }
  const labels = labelEnvironments([...all.values()]);
  const isUnique = (name: string) => [...names.values()].filter((other) => other === name).length === 1;
  return Object.fromEntries(
    [...all.keys()].map((key, i) => {
      const name = names.get(key);
      return [key, name !== undefined && isUnique(name) ? name : (labels[i] ?? key)];
    }),
  );
}
