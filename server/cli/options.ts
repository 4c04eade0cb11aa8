import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { usualSampling } from "#server/domain/trainers/import/foreignRun.ts";
import type { SamplingSize } from "#packages/detector";

const { numEpisodes, groupSize: usualGroupSize, numHeldOut } = usualSampling;

export const episodes = new Option("--episodes <N>", "number of episodes behind each training success rate")
  .argParser(toCount)
  .default(numEpisodes);
export const groupSize = new Option("--group-size <N>", "number of those episodes that share a task")
  .argParser(toCount)
  .default(usualGroupSize);
export const heldOut = new Option("--held-out <N>", "number of episodes behind each held-out success rate")
  .argParser(toCount)
  .default(numHeldOut);

type SizeOptions = { episodes: number; groupSize: number; heldOut: number };

export function toSamplingSize({ episodes, groupSize, heldOut }: SizeOptions): SamplingSize {
  return { numEpisodes: episodes, groupSize, numHeldOut: heldOut };
}

/** Parses a positive count. Throws `InvalidArgumentError` with the limits, as all parsers in this file do. */
export function toCount(text: string): number {
  return toWhole(text, 1, 9_999_999);
}

export function toSeed(text: string): number {
  return toWhole(text, 0, 999_999_999);
}

export function toWhole(text: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}`);
}

export const dayMs = 24 * 3600 * 1000;

/** Returns a parser of a number of days. */
export function toDays(most: number): (text: string) => number {
  return (text) => {
    const days = Number(text);
    if (Number.isInteger(days) && days >= 1 && days <= most) return days;
    throw new InvalidArgumentError(`Write the days as a whole number from 1 to ${most}, not "${text}"`);
  };
}

export function formatDay(date: Date | null): string {
  return date?.toISOString().slice(0, 10) ?? "never";
}

/** Parses "30m", "2h" or "1d" into minutes. */
export function toMinutes(text: string): number {
  const [, count, unit = ""] = /^(\d{1,5})(m|h|d)$/.exec(text) ?? [];
  const minutes = Number(count) * ({ m: 1, h: 60, d: 1440 }[unit] ?? NaN);
  if (minutes <= 525_600) return minutes;
  throw new InvalidArgumentError("Write a time such as 30m, 2h or 1d, at most a year");
}

export function toLevel(text: string): number {
  if (/^0?\.\d+$/.test(text) && Number(text) >= 0.5) return Number(text);
  throw new InvalidArgumentError("Write a share of at least 0.5 and below 1, such as 0.95");
}

export function append(text: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, text];
}
