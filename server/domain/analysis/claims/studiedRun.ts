import type { Method } from "#trainer/spec/method.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import type { dimensionFactors } from "#server/domain/plan/sweep/factorLevels.ts";
import { mean, std } from "#packages/statistics";

export type FactorName = (typeof dimensionFactors)[number];

/**
 * Settings that a user entered by hand for an imported run. Settings that were not entered count as equal only within
 * one import.
 */
export type StatedSettings = Readonly<Record<string, unknown>> & { importedAs: string };

/** A finished run as input of analyses. */
export type StudiedRun = {
  runId: string;
  seed: number;
  /** Key of the run's cell, equal for all seeds of one configuration. */
  cell: string;
  method: string;
  point: Method;
  /** Level of each method dimension that takes effect: a coupling between dimensions may determine a level. */
  levels: Readonly<Record<FactorName, string>>;
  environment: string;
  /** All settings except method, seed and execution, which affects no result. Runs of a cell share one object. */
  settings: Omit<CellSpec, "method" | "execution"> | StatedSettings;
  /** True if a user entered the method and settings, as for an imported run. */
  isStated?: true;
  /** Mean number of optimizer steps per iteration, a measure of staleness; NaN if they were not logged. */
  numSteps: number;
  /**
   * Mean of the outcome metric over the final window; NaN if missing. A z-score if several environments are studied.
   */
  value: number;
  /** Mean of the outcome metric over the final window, in the metric's own unit. */
  rawValue: number;
  /** Mean of the outcome metric over the first third of the run's evaluations after iteration 0. */
  early: number;
  hasCollapsed: boolean;
  /**
   * Success rates in environments other than the training environment, by name, before the first iteration and after
   * the last. Absent if the run was not evaluated in any.
   */
  elsewhere?: ReadonlyMap<string, { before: number; after: number }>;
};

/** True if these are the settings of an imported run, which consist only of values that users entered. */
export function isStatement(settings: StudiedRun["settings"]): settings is StatedSettings {
  return "importedAs" in settings;
}

/**
 * Converts the final and early values of the outcome to z-scores within each environment, so that raw scores of two
 * environments are never pooled. Missing values stay missing.
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
