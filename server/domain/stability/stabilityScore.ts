import { clamp } from "./robust.ts";

/** The four parts, always shown beside the score: their weights are a convention. */
export type ScoreParts = {
  /** Final window over the peak. */
  retention: number;
  /** Share of steps after warming up that were healthy or recovered. */
  healthyShare: number;
  /** Share of steps at which gradient norm or KL to the reference spiked. */
  spikeRate: number;
  /** Interquartile range of success's changes per step, times its cadence, over the curve's range. */
  dispersion: number;
};

/** A run's stability in hindsight, 0–100; a run that collapsed for good gets 25 at most. */
export function stabilityScore(
  { retention, healthyShare, spikeRate, dispersion }: ScoreParts,
  { hasCollapsed }: { hasCollapsed: boolean },
): number {
  const spikes = 1 - Math.min(1, spikeRate / 0.05);
  const calm = 1 - Math.min(1, dispersion);
  const score = 100 * (0.4 * clamp(retention, 0, 1) + 0.3 * healthyShare + 0.15 * spikes + 0.15 * calm);
  return hasCollapsed ? Math.min(25, score) : score;
}
