import type { Aggregate } from "#server/domain/series/aggregate.ts";
import { nameSeeds } from "#server/domain/spread/writeSpread.ts";
import { evidenceRules } from "#server/domain/statistics/evidence.ts";
import type { ChartSettings, Over } from "./settings.ts";

/** So many lines that their bands and dots would hide each other. */
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
  std: { curve: "mean", band: "± sd", label: "Mean ± sd" },
  interval: { curve: "mean", band: "[95 % CI]", label: "Mean [95 % CI]" },
  iqm: { curve: "interquartile mean", band: "[95 % bootstrap]", label: "IQM, 95 % bootstrap" },
  median: { curve: "median", band: "[quartiles]", label: "Median and quartiles" },
  mean: { curve: "mean", band: "", label: "Mean alone" },
};

/** "mean [95 % CI] over 3–5 seeds": which curve and band, of how many; undefined where nothing was logged. */
export function nameBand(counts: readonly number[], over: Over, isCrowded: boolean): string | undefined {
  const fewest = counts.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = counts.reduce((a, b) => Math.max(a, b), 0);
  if (most === 0) return undefined;
  const { curve, band } = overWords[over];
  const hasBand = over === "interval" ? most >= evidenceRules.forIntervals : most > 1 && band !== "";
  const seeds = nameSeeds({ fewest, most });
  if (most === 1) return seeds;
  if (!hasBand) return `${curve} over ${seeds}`;
  return isCrowded ? `${curve} over ${seeds}; pointed at, its ${band}` : `${curve} ${band} over ${seeds}`;
}
