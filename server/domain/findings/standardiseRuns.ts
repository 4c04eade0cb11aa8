import { mean, std } from "../statistics/summary.ts";
import type { StudiedRun } from "./studiedRun.ts";

/** Final and early values in standard deviations from their environment's mean: raw scores of two are never pooled. */
export function standardiseRuns(runs: readonly StudiedRun[]): StudiedRun[] {
  return runs.map((run) => {
    const peers = runs.filter(({ environment }) => environment === run.environment);
    const toScore = (read: (one: StudiedRun) => number) => {
      const values = peers.map(read).filter(Number.isFinite);
      const spread = std(values);
      return spread > 0 ? (read(run) - mean(values)) / spread : 0;
    };
    return { ...run, value: toScore(({ value }) => value), early: toScore(({ early }) => early) };
  });
}
