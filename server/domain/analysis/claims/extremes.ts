import { groupBy } from "#packages/base";
import { mean } from "#packages/statistics";
import { allSettings, type Context } from "./settings.ts";
import type { StudiedRun } from "./studiedRun.ts";

type Levels = {
  /** Key of the settings that compared runs must share; runs with equal keys form a family. */
  context: Context;
  level: (run: StudiedRun) => number;
  /** True if two levels differ enough to compare; the second argument is the greater one. */
  isApart?: (low: number, high: number) => boolean;
};

/**
 * Finds, in each family of runs with equal other settings, those with the lowest and those with the highest level of
 * one setting. Runs at levels between them are excluded. If a family has a single level, all its runs count as
 * lowest, and it has no highest run.
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
