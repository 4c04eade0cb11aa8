import { groupBy } from "#packages/base";
import { findExtremes } from "./extremes.ts";
import { allBut, allSettings } from "./settings.ts";
import type { StudiedRun } from "./studiedRun.ts";

export const allButSteps = allBut("update.epochs", "update.minibatchRows");

/**
 * Minimum ratio between the optimizer steps per iteration of two runs at which one run's data count as staler. Step
 * counts vary by chance: an iteration with fewer batch rows than a minibatch takes one step, and numbers of rows vary
 * between runs.
 */
const least = 1.1;

/**
 * Finds the runs with the freshest and with the stalest data, among runs that differ only in epochs and minibatch
 * size.
 */
export function stalenessSides(all: readonly StudiedRun[]): { freshest: StudiedRun[]; stalest: StudiedRun[] } {
  const { lowest, highest } = findExtremes(all, {
    context: allButSteps,
    level: ({ numSteps }) => numSteps,
    isApart: (low, high) => high >= least * low,
  });
  return { freshest: lowest, stalest: highest };
}

/** Finds the runs that can be compared by staleness: other runs differ from them only in epochs or minibatch size. */
export function findStaleable(runs: readonly StudiedRun[]): StudiedRun[] {
  return [...groupBy(runs, allButSteps).values()].filter((family) => new Set(family.map(allSettings)).size > 1).flat();
}
