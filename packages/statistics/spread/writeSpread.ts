import { formatTick, formatValue, formatNumber, formatCount } from "#packages/base";
import { evidenceRules } from "../evidence.ts";
import type { Interval } from "../rates.ts";
import { isRate, type Difference, type Spread } from "./spread.ts";

/** Number format of a metric: multiplied by 10^shift with a fixed number of decimals, or three significant digits. */
export type FigureFormat = { shift: number; decimals: number } | "significant";

const percent = { shift: 2, decimals: 1 } as const;

export function figureFormat(metric: { unit: string }): FigureFormat {
  return isRate(metric) ? percent : "significant";
}

/** Formatted parts of a mean with its interval, so that a page can style the parts differently. */
export type SpreadParts = {
  mean: string;
  /** The formatted interval, such as "[43, 86]"; empty if there is none. */
  interval: string;
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

/** Formats the mean and its 95 % interval, if there is one: "64.8 [43, 86] %". */
export function writeSpread(spread: Omit<Spread, "n">, metric: { unit: string }): string {
  const { mean, interval, unit } = partsOf(spread, metric);
  return [mean, interval, unit].filter(Boolean).join(" ");
}

/** Formats one value of a metric: "64.8 %", "0.00150". */
export function writeFigure(x: number, metric: { unit: string }): string {
  return Number.isFinite(x) ? writeSpread({ mean: x, interval: null }, metric) : formatValue(x);
}

/** Formats a tick of a metric's axis: "60 %", "0.25". */
export function writeTick(x: number, metric: { unit: string }): string {
  return isRate(metric) ? `${formatTick(Number((100 * x).toPrecision(6)))} %` : formatTick(x);
}

/** Formats the mean, its interval and the number of seeds, for example "64.8 [43, 86] % (3 seeds)". */
export function writeSpreadOfSeeds(spread: Spread, metric: { unit: string }): string {
  return `${writeSpread(spread, metric)} (${formatCount(spread.n, "seed")})`;
}

/** Formats an interval, "[43, 86]", with the mean's decimals, or one fewer if the bounds still differ by ten units. */
export function writeInterval({ low, high }: Interval, format: FigureFormat): string {
  if (format === "significant") return `[${writeSignificant(low, high)}, ${writeSignificant(high, low)}]`;
  const { shift, decimals } = format;
  const isWide = (high - low) * 10 ** shift >= 10 ** (2 - decimals);
  const ends = { shift, decimals: isWide ? Math.max(0, decimals - 1) : decimals };
  return `[${write(low, ends)}, ${write(high, ends)}]`;
}

/** Formats a difference with its sign, such as "+4.1 [−1, 9]"; "0" if the difference is only rounding error. */
export function writeDifference({ value, interval }: Pick<Difference, "value" | "interval">, metric: { unit: string }) {
  const format = figureFormat(metric);
  const text = write(value, format);
  const signed = value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
  return interval === null ? signed : `${signed} ${writeInterval(interval, format)}`;
}

/** Names the mean with its interval, for headings and captions: "mean [95 % CI] over 3 seeds", or "1 seed". */
export function nameSpread({ fewest, most }: { fewest: number; most: number }, noun = "seed"): string {
  const seeds = nameSeeds({ fewest, most }, noun);
  if (most === 1) return seeds;
  return most < evidenceRules.forIntervals ? `mean over ${seeds}` : `${spreadHead} over ${seeds}`;
}

/** Formats a range of counts, for example "3 seeds" or "2–5 seeds". */
export function nameSeeds({ fewest, most }: { fewest: number; most: number }, noun = "seed"): string {
  return fewest === most ? formatCount(most, noun) : `${fewest}–${formatCount(most, noun)}`;
}

export const spreadHead = "mean [95 % CI]";

export const spreadMeaning =
  "[low, high]: 95 % confidence interval of the mean over seeds (Student's t), from three seeds on; cut where no value is possible, as below 0 for a rate or a time.";

function write(x: number, format: FigureFormat): string {
  return format === "significant" ? formatValue(x) : formatNumber(x, format).replace("-", "−");
}

/** Formats a bound with the decimals that give the larger bound three significant digits. */
function writeSignificant(x: number, other: number): string {
  const size = Math.max(Math.abs(x), Math.abs(other));
  if (size < 1e-3 || size >= 1000) return formatValue(x);
  return formatNumber(x, { shift: 0, decimals: Math.max(0, 2 - Math.floor(Math.log10(size))) }).replace("-", "−");
}
