import { groupBy } from "#packages/base";
import { findExtremes } from "./extremes.ts";
import { allBut, allSettings } from "./settings.ts";
import type { StudiedRun } from "./studiedRun.ts";

export const allButSteps = allBut("update.epochs", "update.minibatchRows");

/**
 * Minimum ratio of optimizer steps that counts as staler data. An iteration with fewer rows than a minibatch takes one
 * step, and row counts vary between runs.
 */
const least = 1.1;

/** Runs with the freshest and the stalest data among runs that differ only in epochs and minibatch size. */
export function stalenessSides(all: readonly StudiedRun[]): { freshest: StudiedRun[]; stalest: StudiedRun[] } {
  const { lowest, highest } = findExtremes(all, {
    context: allButSteps,
    level: ({ numSteps }) => numSteps,
    isApart: (low, high) => high >= least * low,
  });
  return { freshest: lowest, stalest: highest };
}

/** Runs whose number of optimizer steps is needed: others differ from them only in epochs or minibatch size. */
export function findStaleable(runs: readonly StudiedRun[]): StudiedRun[] {
  return [...groupBy(runs, allButSteps).values()].filter((family) => new Set(family.map(allSettings)).size > 1).flat();
}
