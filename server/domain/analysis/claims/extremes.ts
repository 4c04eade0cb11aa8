import { groupBy } from "#packages/base";
import { mean } from "#packages/statistics";
import { allSettings, type Context } from "./settings.ts";
import type { StudiedRun } from "./studiedRun.ts";

type Levels = {
  /** Key of the settings that all runs of a family (compared group) share. */
  context: Context;
  level: (run: StudiedRun) => number;
  /** True if two levels differ enough to compare; the greater one is the second argument. */
  isApart?: (low: number, high: number) => boolean;
};

/**
 * Finds the runs at the lowest and at the highest level of each family; runs at levels between them are excluded. If a
 * family has a single level, all its runs count as lowest, and it has no highest run.
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
