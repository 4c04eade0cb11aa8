import type { Method } from "#trainer/spec/method.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { type CsvValue, toCsvText } from "#packages/tables";
import { dimensionFactors } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import type { Drawn } from "#server/domain/runs/looks.ts";
import { mean, std } from "#packages/statistics";

export type FactorName = (typeof dimensionFactors)[number];

/** Settings that a user entered for an imported run; others count as equal only within one import. */
export type StatedSettings = Readonly<Record<string, unknown>> & { importedAs: string };

export type StudiedRun = {
  runId: string;
  seed: number;
  /** How the run was drawn; absent for runs of a plan. */
  drawn?: Drawn;
  /** Key of the cell, equal for all its seeds. */
  cell: string;
  method: string;
  point: Method;
  /** Levels that take effect: a coupling between dimensions may determine one. */
  levels: Readonly<Record<FactorName, string>>;
  environment: string;
  /** Settings except method, seed and execution. Runs of a cell share one object. */
  settings: Omit<CellSpec, "method" | "execution"> | StatedSettings;
  /** True if a user entered method and settings, as for an imported run. */
  isStated?: true;
  /** Mean optimizer steps per iteration, a measure of staleness; NaN if not logged. */
  numSteps: number;
  /** Mean outcome over the final window; NaN if missing. A z-score if several environments are studied. */
  value: number;
  /** Mean outcome over the final window in the unit of the metric; NaN if missing. */
  rawValue: number;
  /** Mean outcome over the first third of the evaluations after iteration 0. */
  early: number;
  hasCollapsed: boolean;
  /** True for an unclear label, which counts as not collapsed, and for a run that was not judged. */
  isUnclear?: true;
  isUnjudged?: true;
  /** Success before and after training in other environments, by name; absent if evaluated in none. */
  elsewhere?: ReadonlyMap<string, { before: number; after: number }>;
};

/** True for the settings of an imported run, which only users entered. */
export function isStatement(settings: StudiedRun["settings"]): settings is StatedSettings {
  return "importedAs" in settings;
}

/**
 * Converts final and early values to z-scores within each environment: raw scores of two environments are never pooled,
 * because the widest scale would dominate. Missing values stay missing.
 */
export function standardiseRuns(runs: readonly StudiedRun[]): StudiedRun[] {
  const environments = [...new Set(runs.map(({ environment }) => environment))];
  const scales = new Map(
    environments.map((environment) => {
      const peers = runs.filter((run) => run.environment === environment);
      return [environment, { value: toScale(peers, "value"), early: toScale(peers, "early") }];
    }),
  );
  return runs.map((run) => {
    const scale = scales.get(run.environment);
    return { ...run, value: scale?.value(run.value) ?? NaN, early: scale?.early(run.early) ?? NaN };
  });
}

function toScale(runs: readonly StudiedRun[], key: "value" | "early"): (x: number) => number {
  const finite = runs.map((run) => run[key]).filter(Number.isFinite);
  const [centre, spread] = [mean(finite), std(finite)];
  return (x) => (Number.isFinite(x) ? (spread > 0 ? (x - centre) / spread : 0) : NaN);
}

/** Lists studied runs with their levels, value and label as CSV. */
export function toStudiedCsv(runs: readonly StudiedRun[]): string {
  const lines = runs.map(({ runId, method, environment, seed, levels, rawValue, hasCollapsed }): CsvValue[] => {
    const factors = dimensionFactors.map((factor) => levels[factor]);
    return [runId, method, environment, seed, ...factors, rawValue, hasCollapsed ? 1 : 0];
  });
  return toCsvText([["run", "method", "environment", "seed", ...dimensionFactors, "value", "collapsed"], ...lines]);
}
