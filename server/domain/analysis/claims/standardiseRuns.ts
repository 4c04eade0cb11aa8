import { mean, std } from "#packages/statistics";
import type { StudiedRun } from "./studiedRun.ts";

/**
 * Final and early values as z-scores within their environment: raw scores of two environments are never pooled. Missing
 * values stay missing.
 */
export function standardiseRuns(runs: readonly StudiedRun[]): StudiedRun[] {
  const environments = [...new Set(runs.map(({ environment }) => environment))];
  const scales = new Map(
    environments.map((environment) => {
      const peers = runs.filter((run) => run.environment === environment);
      return [environment, { value: toScale(peers, "value"), early: toScale(peers, "early") }];
    }),
  );
  return runs.map((run) => {
    const scale = scales.get(run.environment);
    return { ...run, value: scale?.value(run.value) ?? NaN, early: scale?.early(run.early) ?? NaN };
  });
}

function toScale(runs: readonly StudiedRun[], key: "value" | "early"): (x: number) => number {
  const finite = runs.map((run) => run[key]).filter(Number.isFinite);
  const [centre, spread] = [mean(finite), std(finite)];
  return (x) => (Number.isFinite(x) ? (spread > 0 ? (x - centre) / spread : 0) : NaN);
}
