import { groupBy } from "#server/domain/groupBy.ts";
import { findExtremes } from "./extremes.ts";
import { allBut, allSettings } from "./settings.ts";
import type { StudiedRun } from "./studiedRun.ts";

export const allButSteps = allBut("update.epochs", "update.minibatchRows");

/** Fewer rows than a mini-batch make one step whatever its size, and rows differ from run to run: less is no staler. */
const least = 1.1;

/** Runs of the freshest and of the stalest data, among those that differ in epochs and mini-batch alone. */
export function stalenessSides(all: readonly StudiedRun[]): { freshest: StudiedRun[]; stalest: StudiedRun[] } {
  const { lowest, highest } = findExtremes(all, {
    context: allButSteps,
    level: ({ numSteps }) => numSteps,
    isApart: (low, high) => high >= least * low,
  });
  return { freshest: lowest, stalest: highest };
}

/** Whether a run's optimiser steps matter: only where others differ from it in epochs or mini-batch alone. */
export function findStaleable(runs: readonly StudiedRun[]): StudiedRun[] {
  return [...groupBy(runs, allButSteps).values()].filter((family) => new Set(family.map(allSettings)).size > 1).flat();
}
