import type { Aggregate } from "#server/domain/series/aggregate.ts";
import { nameSeeds } from "#server/domain/spread/writeSpread.ts";
import { evidenceRules } from "#server/domain/statistics/evidence.ts";
import { mostBands } from "#server/domain/series/bandRule.ts";
import type { ChartSettings, Over } from "./settings.ts";

/** So many lines that dots and a legend far away would confuse: names then stand at their ends. */
export const fewestCrowded = 4;

/** What stands for the seeds: as chosen, else their mean with its 95 % interval, as everywhere. */
export function overOf({ over }: Pick<ChartSettings, "over">): Over {
  return over ?? "interval";
}

type Asked = { aggregate: Aggregate; range: ChartSettings["range"] };

/** What the server is asked for. A part of another axis than the iterations' is cut out here. */
export function askedOf(settings: Pick<ChartSettings, "over" | "range" | "x">): Asked {
  const over = overOf(settings);
  return { aggregate: over === "mean" ? "interval" : over, range: settings.x === "iteration" ? settings.range : null };
}

/** What the curve and its band are, for subtitles; and as a choice. */
export const overWords: Record<Over, { curve: string; band: string; label: string }> = {
  interval: { curve: "mean", band: "95 % CI", label: "Mean [95 % CI]" },
  std: { curve: "mean", band: "± sd", label: "Mean ± sd" },
  iqm: { curve: "interquartile mean", band: "95 % bootstrap", label: "IQM, 95 % bootstrap" },
  median: { curve: "median", band: "quartiles", label: "Median and quartiles" },
  mean: { curve: "mean", band: "", label: "Mean alone" },
};

type Drawn = { counts: readonly number[]; measured: readonly number[] };

/** "mean [95 % CI] over 3–5 seeds, interpolated": which curve and band, of how many; undefined where nothing was logged. */
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
  const drawn = hasBand ? ` [${band}${bands.length > mostBands ? " at the last point" : ""}]` : "";
  return `${curve}${drawn} over ${seeds}${bands.some(isInterpolated) ? ", interpolated" : ""}`;
}

/** Whether some seed logged at other steps than the others. */
export function isInterpolated({ counts, measured }: Drawn): boolean {
  return counts.some((count, i) => (measured[i] ?? count) < count);
}
