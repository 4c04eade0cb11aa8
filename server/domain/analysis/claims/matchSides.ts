import type { Context } from "./settings.ts";
import type { StudiedRun } from "./studiedRun.ts";

export type Side = { name: string; runs: readonly StudiedRun[] };

export type Matched = {
  /** Runs grouped first by their shared settings, then by compared group (side); no inner list is empty. */
  strata: readonly (readonly (readonly StudiedRun[])[])[];
  sides: readonly Side[];
  /** Number of runs excluded because another compared group has no run with the same shared settings. */
  numLeftOut: number;
};

/**
 * Selects the runs that a test can compare. Runs whose shared settings do not occur in every compared group (side)
 * are excluded.
 */
export function matchSides(sides: readonly Side[], context: Context): Matched {
  const byContext = new Map<string, StudiedRun[][]>();
  for (const [i, { runs }] of sides.entries()) {
    for (const run of runs) {
      const key = context(run);
      const stratum = byContext.get(key) ?? sides.map(() => []);
      stratum[i]?.push(run);
      byContext.set(key, stratum);
    }
  }
  const strata = [...byContext.values()].filter((stratum) => stratum.every(({ length }) => length > 0));
  const kept = sides.map(({ name }, i) => ({ name, runs: strata.flatMap((stratum) => stratum[i] ?? []) }));
  const count = (of: readonly Side[]) => of.reduce((sum, { runs }) => sum + runs.length, 0);
  return { strata, sides: kept, numLeftOut: count(sides) - count(kept) };
}
