import { nameSeeds, evidenceRules } from "#packages/statistics";
import type { Aggregate } from "./aggregate.ts";

/** Maximum number of bands before they hide each other; with more lines only the last points have whiskers. */
export const maxBands = 6;

/** The summary over seeds; "mean" has no band. */
export type Over = Aggregate | "mean";

/** Names of curve and band, in subtitles and in the menu. */
export const overWords: Record<Over, { curve: string; band: string; label: string }> = {
  interval: { curve: "mean", band: "95 % CI", label: "Mean [95 % CI]" },
  std: { curve: "mean", band: "± sd", label: "Mean ± sd" },
  iqm: { curve: "interquartile mean", band: "95 % bootstrap", label: "IQM, 95 % bootstrap" },
  median: { curve: "median", band: "quartiles", label: "Median and quartiles" },
  mean: { curve: "mean", band: "", label: "Mean alone" },
};

type Drawn = { counts: readonly number[]; measured: readonly number[] };

/** "mean [95 % CI] over 3–5 seeds, interpolated": curve, band and number of seeds; undefined if nothing was logged. */
export function nameBand(bands: readonly Drawn[], over: Over): string | undefined {
  let [fewest, most] = [Infinity, 0];
  for (const { counts } of bands) {
    for (const count of counts) [fewest, most] = [Math.min(fewest, count), Math.max(most, count)];
  }
  if (most === 0) return undefined;
  const { curve, band } = overWords[over];
  const seeds = nameSeeds({ fewest, most });
  if (most === 1) return seeds;
  const hasBand = band !== "" && (over !== "interval" || most >= evidenceRules.forIntervals);
  // Otherwise a reader looks for the interval that the page shows everywhere else.
  const why = band !== "" && !hasBand ? `, no interval below ${evidenceRules.forIntervals}` : "";
  const drawn = hasBand ? ` [${band}${bands.length > maxBands ? " at the last point" : ""}]` : "";
  return `${curve}${drawn} over ${seeds}${why}${bands.some(isInterpolated) ? ", interpolated" : ""}`;
}

/** True where seeds logged at different steps. */
export function isInterpolated({ counts, measured }: Drawn): boolean {
  return counts.some((count, i) => (measured[i] ?? count) < count);
}
