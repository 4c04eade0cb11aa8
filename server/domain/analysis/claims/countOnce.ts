import { groupBy } from "#packages/base";
import { allSettings } from "./settings.ts";
import type { StudiedRun } from "./studiedRun.ts";

/**
 * Keeps one run per configuration and seed, the first. Sweeps that repeat another's cells repeat its values and add no
 * evidence.
 */
export function countOnce(runs: readonly StudiedRun[]): StudiedRun[] {
  return [...groupBy(runs, (run) => `${allSettings(run)} ${run.seed}`).values()].flatMap((same) => same.slice(0, 1));
}
