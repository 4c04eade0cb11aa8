import { groupBy } from "#server/domain/groupBy.ts";
import { allSettings } from "./settings.ts";
import type { StudiedRun } from "./studiedRun.ts";

/**
 * One run of each configuration and seed: sweeps that repeat another's cells repeat its numbers, and as evidence they are
 * no more than the one run was. The first is kept.
 */
export function countOnce(runs: readonly StudiedRun[]): StudiedRun[] {
  return [...groupBy(runs, (run) => `${allSettings(run)} ${run.seed}`).values()].flatMap((same) => same.slice(0, 1));
}
