import { groupBy } from "#packages/base";
import { canonicalJson } from "#trainer/spec/canonical.ts";
import { elsewhereOf } from "#trainer/spec/elsewhere.ts";
import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { partsOf } from "#trainer/spec/environmentParts.ts";
import { nameOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { labelEnvironments } from "#server/domain/plan/sweep/labels/labels.ts";
import { titleOfLabel } from "#server/domain/plan/sweep/labels/labelTitles.ts";
import type { Answering } from "../answer.ts";
import { type Facts, listConfigured, type Parts, type StudyRun } from "../facts.ts";
import { endsOf, reportTransfer, type TransferMeasure, type TransferRun } from "./transfer.ts";
import { summariseTransfer } from "./summariseTransfer.ts";
import { toTransferCsv, toTransferTable } from "./transferTable.ts";

type TransferFacts = Facts & Pick<Parts, "configurations" | "metrics" | "evaluations">;
type Cell = Facts["cells"][number] & { spec: CellSpec };
type Options = { measure: TransferMeasure };

export const transfer = {
  curves: (facts, options) => [selectCurves(facts, options)],
  answer(facts, { measure }) {
    const { metrics, evaluations } = facts;
    const stored = evaluations.filter(({ state }) => state === "done");
    const cells = listOwn(facts);
    const runs = listTransferRuns(facts, { measure });
    const titles = titleEnvironments(cells, stored);
    const titleOf = (environment: string): string => titles[environment] ?? environment;
    const report = reportTransfer(runs);
    const lastEvaluation = Math.max(0, ...stored.map(({ id }) => id));
    return {
      ...report,
      titles,
      /** True if a cell trains a built-in policy (not pretrained): only these can be evaluated after training. */
      isEvaluable: cells.some(({ spec }) => !spec.trainer && spec.policy.pretrained === undefined),
      /** True if an evaluation in another environment has a score besides its success rate. */
      hasScore:
        stored.some(({ result }) => result?.score !== undefined) ||
        metrics.keys.some((key) => /^evaluation\/(elsewhere|in)\/[^/]+\/score$/.test(key)),
      sentence: summariseTransfer(report, titleOf),
      table: toTransferTable(report, { measure, titleOf }),
      longCsv: toTransferCsv(runs, titleOf),
      proved: { measure, ...(lastEvaluation > 0 && { evaluations: lastEvaluation }) },
      // An unfinished evaluation whose id is smaller than the last finished one's would change the table.
      isFinal: !evaluations.some(({ state }) => state === "waiting" || state === "running"),
    };
  },
} satisfies Answering<"transfer">;

/** Returns the runs that were evaluated in several environments, by cell. */
function findEvaluated(facts: TransferFacts): { runs: readonly StudyRun[]; cellOf: ReadonlyMap<number, Cell> } {
  const ids = new Set(facts.evaluations.flatMap(({ runId, state }) => (state === "done" ? [runId] : [])));
  const asked = new Set(facts.runs.filter(({ run }) => ids.has(run.id)).map(({ cell }) => cell.id));
  const hasSources = facts.metrics.keys.some((key) => sourceOf(key) !== undefined);
  const isInSeveral = ({ spec }: Cell) =>
    elsewhereOf(spec).length + partsOf(spec.environment).length > 0 || (hasSources && readsSources(spec));
  const cells = listOwn(facts).filter((cell) => asked.has(cell.id) || isInSeveral(cell));
  const cellOf = new Map(cells.map((cell) => [cell.id, cell]));
  return { runs: facts.runs.filter(({ cell }) => cellOf.has(cell.id)), cellOf };
}

function listSources({ metrics }: TransferFacts, { measure }: Options): string[] {
  return measure === "successRate" ? metrics.keys.filter((key) => sourceOf(key) !== undefined) : [];
}

function selectCurves(facts: TransferFacts, options: Options): { runIds: string[]; keys: string[] } {
  const isWanted = new RegExp(`^evaluation/((elsewhere|in)/[^/]+/)?${options.measure}$`);
  return {
    runIds: findEvaluated(facts).runs.map(({ run }) => run.id),
    keys: [...facts.metrics.keys.filter((key) => isWanted.test(key)), ...listSources(facts, options)],
  };
}

/**
 * Returns the runs with their success in each environment. A run on a mixture or curriculum also gets its success in
 * each part, from evaluations with more tasks per part than its own.
 */
function listTransferRuns(facts: TransferFacts, options: Options): TransferRun[] {
  const { curvesOf, evaluations } = facts;
  const { measure } = options;
  const storedOf = groupBy(
    evaluations.filter(({ state }) => state === "done"),
    ({ runId }) => runId,
  );
  const { runs, cellOf } = findEvaluated(facts);
  const sources = listSources(facts, options);
  const configurationOf = nameConfigurations(facts, [...cellOf.values()]);
  return runs.flatMap(({ run }): TransferRun[] => {
    const { id, cellId, seed } = run;
    const cell = cellOf.get(cellId);
    if (!cell) return [];
    const last = lastOf(cell, run);
    const read = (key: string) => endsOf(curvesOf(id).get(key), last);
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
      if (curvesOf(id).get(key)) values.set(sourceOf(key) ?? key, read(key));
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
function lastOf({ spec, iterations }: Cell, { status, reason, latestIteration }: StudyRun["run"]) {
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

/** Returns the cells that the studio trains, not those of imported runs. */
function listOwn(facts: TransferFacts): Cell[] {
  return listConfigured(facts).flatMap(({ spec, ...cell }) => (isImported(spec) ? [] : [{ ...cell, spec }]));
}

/** Names cells, with the sweep's name or, if two have it, its id, where sweeps trained a cell with other settings. */
function nameConfigurations({ sweeps, isMerged }: Facts, cells: readonly Cell[]): (cell: Cell) => string {
  const nameOf = nameInSweep(cells);
  const rivals = groupBy(cells, (cell) => `${nameOf(cell)} in ${keyOf(cell.spec.environment)}`);
  const differing = [...rivals.values()].filter(
    (same) => new Set(same.map(({ spec }) => canonicalJson(spec))).size > 1,
  );
  const isMixed = new Set(isMerged ? [] : differing.flatMap(([cell]) => (cell ? [nameOf(cell)] : [])));
  return (cell) => {
    if (!isMixed.has(nameOf(cell))) return nameOf(cell);
    const isUnique = sweeps.filter(({ name }) => name === cell.sweepName).length === 1;
    return `${nameOf(cell)} · ${isUnique ? cell.sweepName : cell.sweepId}`;
  };
}

/** Names cells by method and varied settings, without the environment at the start of labels if a sweep has several. */
function nameInSweep(cells: readonly Cell[]): (cell: Cell) => string {
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
function titleEnvironments(cells: readonly Cell[], stored: TransferFacts["evaluations"]): Record<string, string> {
  const specs = cells.map(({ spec }) => spec);
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
