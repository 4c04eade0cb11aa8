import type { Aggregate } from "#server/domain/series/aggregate.ts";
import type { ChartSettings, Over } from "./settings.ts";

/** So many lines that their bands and dots would hide each other. */
export const fewestCrowded = 4;

/** What stands for the seeds: as chosen, else deviations of few lines and, of more, intervals of their means. */
export function overOf({ over }: Pick<ChartSettings, "over">, numLines: number): Over {
  return over ?? (numLines < fewestCrowded ? "std" : "interval");
}

type Asked = { aggregate: Aggregate; range: ChartSettings["range"] };

/** What the server is asked for. A part of another axis than the iterations' is cut out here. */
export function askedOf(settings: Pick<ChartSettings, "over" | "range" | "x">, numLines: number): Asked {
  const over = overOf(settings, numLines);
  return { aggregate: over === "mean" ? "std" : over, range: settings.x === "iteration" ? settings.range : null };
}

/** What the curve and its band are, for subtitles; and as a choice. */
export const overWords: Record<Over, { curve: string; band: string; label: string }> = {
  std: { curve: "mean", band: "± std", label: "Mean ± std" },
  interval: { curve: "mean", band: "± 95 % interval (t)", label: "Mean ± 95 % interval" },
  iqm: { curve: "interquartile mean", band: "95 % bootstrap band", label: "IQM, 95 % bootstrap" },
  median: { curve: "median", band: "quartiles", label: "Median and quartiles" },
  mean: { curve: "mean", band: "", label: "Mean alone" },
};

/** "mean ± std, 2–3 seeds": which curve and band, of how many; undefined where nothing was logged. */
export function nameBand(counts: readonly number[], over: Over, isCrowded: boolean): string | undefined {
  const least = counts.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = counts.reduce((a, b) => Math.max(a, b), 0);
  if (most === 0) return undefined;
  if (most === 1) return "1 seed";
  const seeds = least === most ? `${most} seeds` : `${least}–${most} seeds`;
  const { curve, band } = overWords[over];
  if (band === "") return `${curve}, ${seeds}`;
  const joined = band.startsWith("±") ? " " : ", ";
  return isCrowded ? `${curve}; pointed at, its ${band}; ${seeds}` : `${curve}${joined}${band}, ${seeds}`;
}
