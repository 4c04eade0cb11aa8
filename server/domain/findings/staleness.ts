import { mean } from "#server/domain/statistics/summary.ts";
import { allButSteps, type Context } from "./settings.ts";
import type { StudiedRun } from "./studiedRun.ts";
import { groupBy } from "#server/domain/groupBy.ts";

/** Fewer rows than a mini-batch make one step whatever its size, and rows differ from run to run: less is no staler. */
const least = 1.1;

/**
 * Runs of the freshest and of the stalest data, among those that differ in epochs and mini-batch alone. Where these make
 * no difference all runs are the freshest, so that a comparison finds no run on the other side.
 */
export function stalenessSides(all: readonly StudiedRun[]): {
  freshest: StudiedRun[];
  stalest: StudiedRun[];
  context: Context;
} {
  const families = [...groupBy(all, allButSteps).values()];
  const sides = families.map((family) => {
    const levels = [...groupBy(family, ({ setting }) => setting).values()]
      .map((runs) => ({ runs, numSteps: mean(runs.map(({ numSteps }) => numSteps).filter(Number.isFinite)) }))
      .filter(({ numSteps }) => Number.isFinite(numSteps))
      .toSorted((a, b) => a.numSteps - b.numSteps);
    const [first, last] = [levels[0], levels.at(-1)];
    if (!first || !last || last.numSteps < least * first.numSteps) return { freshest: family, stalest: [] };
    return { freshest: first.runs, stalest: last.runs };
  });
  return {
    freshest: sides.flatMap(({ freshest }) => freshest),
    stalest: sides.flatMap(({ stalest }) => stalest),
    context: allButSteps,
  };
}

/** Whether a run's optimiser steps matter: only where others differ from it in epochs or mini-batch alone. */
export function findStaleable(runs: readonly StudiedRun[]): StudiedRun[] {
  return [...groupBy(runs, allButSteps).values()]
    .filter((family) => new Set(family.map(({ setting }) => setting)).size > 1)
    .flat();
}
