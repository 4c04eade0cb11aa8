import { mean, std } from "#packages/statistics";
import type { Observation } from "./design.ts";

/**
 * Z-scores within each block. Raw scores of different environments are never pooled: the environment with the widest
 * scale would dominate.
 */
export function standardiseWithin(observations: readonly Observation[], blockFactor: string): Observation[] {
  return observations.map((observation) => {
    const block = observations
      .filter(({ levels }) => levels[blockFactor] === observation.levels[blockFactor])
      .map(({ value }) => value);
    const spread = std(block);
    return { ...observation, value: spread > 0 ? (observation.value - mean(block)) / spread : 0 };
  });
}
