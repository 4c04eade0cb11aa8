import { groupBy } from "#packages/base";
import { fitCox, type CoxTerm, type Duration } from "#packages/statistics";

/** A run with the settings that make its sampler off-policy: lag and precision. */
export type SampledRun = {
  runId: string;
  method: string;
  /** Task and settings without method, lag and precision; runs are compared within one. */
  setting: string;
  seed: number;
  isStale: boolean;
  isRounded: boolean;
  duration: Duration;
};

/** The four cells in counting order. */
export const samplerCells = [
  { title: "neither", isStale: false, isRounded: false },
  { title: "stale", isStale: true, isRounded: false },
  { title: "rounded", isStale: false, isRounded: true },
  { title: "both", isStale: true, isRounded: true },
] as const;

export const hazardTerms = ["staleness", "precision", "staleness × precision"] as const;

export type HazardGroup = {
  title: string;
  runIds: readonly string[];
  /** In the order of `samplerCells`. */
  cells: readonly { numRuns: number; numCollapsed: number }[];
  /** In the order of `hazardTerms`; undefined if it cannot be estimated. */
  terms: readonly CoxTerm[] | undefined;
};

/**
 * Log hazard ratios of collapse for staleness, precision and their interaction. Each method has its own baseline hazard
 * per setting, and is included where all four cells have runs. First all methods together, then each method with a
 * collapse.
 */
export function reportHazards(runs: readonly SampledRun[]): HazardGroup[] {
  const whole = [...groupBy(runs, stratumOf).values()].filter(hasAllCells).flat();
  const methods = [...groupBy(whole, ({ method }) => method)];
  const all = methods.length > 1 ? [reportGroup(`${methods.length} methods, each with its own baseline`, whole)] : [];
  return [...all, ...methods.map(([method, some]) => reportGroup(method, some))].filter(({ cells }) =>
    cells.some(({ numCollapsed }) => numCollapsed > 0),
  );
}

function stratumOf({ method, setting }: SampledRun): string {
  return JSON.stringify([method, setting]);
}

function hasAllCells(runs: readonly SampledRun[]): boolean {
  return samplerCells.every((cell) => runs.some((run) => isIn(run, cell)));
}

function isIn(run: SampledRun, cell: Pick<SampledRun, "isStale" | "isRounded">): boolean {
  return run.isStale === cell.isStale && run.isRounded === cell.isRounded;
}

function reportGroup(title: string, runs: readonly SampledRun[]): HazardGroup {
  const units = runs.map((run) => {
    const [stale, rounded] = [Number(run.isStale), Number(run.isRounded)];
    return { duration: run.duration, stratum: stratumOf(run), x: [stale, rounded, stale * rounded] };
  });
  return {
    title,
    runIds: runs.map(({ runId }) => runId),
    cells: samplerCells.map((cell) => {
      const some = runs.filter((run) => isIn(run, cell));
      return { numRuns: some.length, numCollapsed: some.filter(({ duration }) => duration.isEvent).length };
    }),
    terms: fitCox(units),
  };
}
