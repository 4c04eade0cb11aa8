import { formatValue, formatNumber, formatCount } from "#packages/base";
import { evidenceRules } from "../evidence.ts";
import type { Interval } from "../rates.ts";
import { isRate, type Difference, type Spread } from "./spread.ts";

/** How figures are written: × 10^shift with so many decimals, or with three significant digits. */
export type FigureFormat = { shift: number; decimals: number } | "significant";

const percent = { shift: 2, decimals: 1 } as const;

/** Rates in percent, all else with three significant digits. */
export function figureFormat(metric: { unit: string }): FigureFormat {
  return isRate(metric) ? percent : "significant";
}

/** A spread in pieces, for who sets the interval in another colour. */
export type SpreadParts = {
  /** "64.8" */
  mean: string;
  /** "[43, 86]"; empty where there is none. */
  interval: string;
  /** "%", or empty. */
  unit: string;
};

export function partsOf({ mean, interval }: Omit<Spread, "n">, metric: { unit: string }): SpreadParts {
  const format = figureFormat(metric);
  return {
    mean: write(mean, format),
    interval: interval === null ? "" : writeInterval(interval, format),
    unit: isRate(metric) ? "%" : "",
  };
}

/** "64.8 [43, 86] %": the mean and its 95 % interval, where there is one. */
export function writeSpread(spread: Omit<Spread, "n">, metric: { unit: string }): string {
  const { mean, interval, unit } = partsOf(spread, metric);
  return [mean, interval, unit].filter(Boolean).join(" ");
}

/** "64.8 [43, 86] % (3 seeds)" */
export function writeSpreadOfSeeds(spread: Spread, metric: { unit: string }): string {
  return `${writeSpread(spread, metric)} (${formatCount(spread.n, "seed")})`;
}

/** "[43, 86]": ends as exact as a figure beside them, without its last decimal where they lie ten of the one before apart. */
export function writeInterval({ low, high }: Interval, format: FigureFormat): string {
  if (format === "significant") return `[${writeSignificant(low, high)}, ${writeSignificant(high, low)}]`;
  const { shift, decimals } = format;
  const isWide = (high - low) * 10 ** shift >= 10 ** (2 - decimals);
  const ends = { shift, decimals: isWide ? Math.max(0, decimals - 1) : decimals };
  return `[${write(low, ends)}, ${write(high, ends)}]`;
}

/** "+4.1 [−1, 9]": signed, and plainly 0 where nothing is left of the difference. */
export function writeDifference({ value, interval }: Pick<Difference, "value" | "interval">, metric: { unit: string }) {
  const format = figureFormat(metric);
  const text = write(value, format);
  const signed = value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
  return interval === null ? signed : `${signed} ${writeInterval(interval, format)}`;
}

/** Names the spread in headings and captions: "mean [95 % CI] over 3 seeds", "1 seed". */
export function nameSpread({ fewest, most }: { fewest: number; most: number }, noun = "seed"): string {
  const seeds = nameSeeds({ fewest, most }, noun);
  if (most === 1) return seeds;
  return most < evidenceRules.forIntervals ? `mean over ${seeds}` : `${spreadHead} over ${seeds}`;
}

/** "3 seeds", "2–5 seeds" */
export function nameSeeds({ fewest, most }: { fewest: number; most: number }, noun = "seed"): string {
  return fewest === most ? formatCount(most, noun) : `${fewest}–${formatCount(most, noun)}`;
}

/** The head of a column of spreads. */
export const spreadHead = "mean [95 % CI]";

/** The meaning of the brackets, for tooltips and notes. */
export const spreadMeaning =
  "[low, high]: 95 % confidence interval of the mean over seeds (Student's t), from three seeds on; a rate's is cut at 0 and 1.";

function write(x: number, format: FigureFormat): string {
  return format === "significant" ? formatValue(x) : formatNumber(x, format).replace("-", "−");
}

/** With as many digits as tell the ends apart: three of the larger one. */
function writeSignificant(x: number, other: number): string {
  const size = Math.max(Math.abs(x), Math.abs(other));
  if (size < 1e-3 || size >= 1000) return formatValue(x);
  return formatNumber(x, { shift: 0, decimals: Math.max(0, 2 - Math.floor(Math.log10(size))) }).replace("-", "−");
}
