import { groupBy } from "#packages/base";
import { mean } from "#packages/statistics";
import { allBut, allSettings, type Context } from "./settings.ts";
import type { StudiedRun } from "./studiedRun.ts";

type Levels = {
  /** Key of the settings that compared runs share; equal keys form a family. */
  context: Context;
  level: (run: StudiedRun) => number;
  /** True if the second level is enough above the first to compare. */
  isApart?: (low: number, high: number) => boolean;
};

/**
 * Finds the runs with the lowest and with the highest level in each family; others are excluded. If a family has a
 * single level, all its runs count as lowest.
 */
export function findExtremes(
  all: readonly StudiedRun[],
  { context, level, isApart = (low, high) => high > low }: Levels,
): { lowest: StudiedRun[]; highest: StudiedRun[] } {
  const ends = [...groupBy(all, context).values()].map((family) => {
    const levels = [...groupBy(family, allSettings).values()]
      .map((runs) => ({ runs, at: mean(runs.map(level).filter(Number.isFinite)) }))
      .filter(({ at }) => Number.isFinite(at))
      .toSorted((a, b) => a.at - b.at);
    const [first, last] = [levels[0]?.at ?? NaN, levels.at(-1)?.at ?? NaN];
    const low = levels.filter(({ at }) => !isApart(first, at));
    const high = levels.filter(({ at }) => isApart(first, at) && !isApart(at, last));
    if (high.length === 0) return { lowest: family, highest: [] };
    return { lowest: low.flatMap(({ runs }) => runs), highest: high.flatMap(({ runs }) => runs) };
  });
  return { lowest: ends.flatMap(({ lowest }) => lowest), highest: ends.flatMap(({ highest }) => highest) };
}

export const allButSteps = allBut("update.epochs", "update.minibatchRows");

/**
 * Minimum ratio of optimizer steps per iteration at which data count as staler. Steps vary by chance, with the number
 * of batch rows.
 */
const least = 1.1;

export function stalenessSides(all: readonly StudiedRun[]): { freshest: StudiedRun[]; stalest: StudiedRun[] } {
  const { lowest, highest } = findExtremes(all, {
    context: allButSteps,
    level: ({ numSteps }) => numSteps,
    isApart: (low, high) => high >= least * low,
  });
  return { freshest: lowest, stalest: highest };
}

/** Finds runs from which other runs differ only in epochs or minibatch size. */
export function findStaleable(runs: readonly StudiedRun[]): StudiedRun[] {
  return [...groupBy(runs, allButSteps).values()].filter((family) => new Set(family.map(allSettings)).size > 1).flat();
}
