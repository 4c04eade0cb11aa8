import { median } from "#server/domain/statistics/summary.ts";
import type { Channel } from "./channels.ts";
import type { DetectorConfig } from "../config.ts";
import { clamp, keep, noiseOf, theilSenSlope } from "./robust.ts";

/** 0 nothing, 1 an isolated spike, 2 a shift that is large statistically and in practice, 3 twice that. */
export type Level = 0 | 1 | 2 | 3;

/** One metric's forecaster, as plain JSON: first values kept until there are enough, then a damped trend. */
export type ChannelState =
  | { phase: "warm"; values: readonly number[] }
  | {
      phase: "on";
      level: number;
      slope: number;
      scale: number;
      /** Levels and slopes after each of the last updates, oldest first: what earlier forecasts were made from. */
      levels: readonly number[];
      slopes: readonly number[];
      /** The last values, transformed. */
      values: readonly number[];
    };

export const coldChannel: ChannelState = { phase: "warm", values: [] };

export type ChannelReading = {
  level: Level;
  /** On the channel's scale. */
  value: number;
  /** Of this step, made at the one before; absent while warming up. */
  forecast?: number;
  /** Residual in scales. */
  z?: number;
  /** Median of the last values minus the forecast made when they were still ahead, of the horizon that shows most. */
  shift?: number;
};

/** What a channel needs to know to read a value; `floor` is the smallest scale of noise. */
export type ChannelRule = Pick<Channel, "rise" | "fall"> & {
  floor: number;
  config: DetectorConfig;
  /** Values before the first is judged. */
  warmup: number;
  /** `config.horizons`, with 1 − dampingᴴ: how much of the slope a forecast over H steps has seen decay. */
  horizons: readonly { horizon: number; width: number; decayed: number }[];
  /** How many values, and how many levels and slopes, are remembered. */
  numValues: number;
  numLevels: number;
};

/**
 * Takes one finite value, already on the channel's scale.
 * Healthy metrics trend (KL grows, entropy decays), so a value is compared with a robust damped-trend forecast made H
 * steps ago, at a fast and a slow horizon; clipped residuals keep a spike from dragging the forecast along.
 */
export function nextChannel(
  state: ChannelState,
  value: number,
  rule: ChannelRule,
): { state: ChannelState; reading: ChannelReading } {
  const { config } = rule;
  if (state.phase === "warm") {
    const values = [...state.values, value];
    const isWarm = values.length >= rule.warmup;
    return { state: isWarm ? startTrend(values, rule) : { phase: "warm", values }, reading: { level: 0, value } };
  }
  const { alpha, beta, damping, slopeMax, scaleRate, huber } = config.forecast;
  const forecast = state.level + state.slope;
  const residual = value - forecast;
  const z = residual / state.scale;
  const clipped = clamp(residual, -huber * state.scale, huber * state.scale);
  const values = keep(state.values, value, rule.numValues);
  const shifted = findShift(state, values, rule);
  const level = shifted.level === 0 ? spikeLevel(z, rule) : shifted.level;

  const nextLevel = forecast + alpha * clipped;
  const slope = clamp(damping * state.slope + alpha * beta * clipped, -slopeMax, slopeMax);
  const noise = 1.2533 * Math.min(Math.abs(z), huber) * state.scale;
  const scale = Math.max(rule.floor, (1 - scaleRate) * state.scale + scaleRate * noise);
  const levels = keep(state.levels, nextLevel, rule.numLevels);
  const slopes = keep(state.slopes, slope, rule.numLevels);
  const next = { phase: "on", level: nextLevel, slope, scale, levels, slopes, values } as const;
  const reading: ChannelReading = { level, value, forecast, z };
  if (shifted.level > 0) reading.shift = shifted.shift;
  return { state: next, reading };
}

/** Scale from differences and slope from all pairs: neither is moved by the trend or by an outlier. */
function startTrend(values: readonly number[], { floor, config }: ChannelRule): ChannelState {
  const { slopeMax } = config.forecast;
  const raw = theilSenSlope(values);
  const level = median(values.map((y, t) => y - raw * t)) + raw * (values.length - 1);
  const slope = 0.5 * clamp(raw, -slopeMax, slopeMax);
  const scale = Math.max(floor, noiseOf(values));
  return { phase: "on", level, slope, scale, levels: [level], slopes: [slope], values };
}

type Shift = { level: 0 | 2 | 3; shift: number };
const noShift: Shift = { level: 0, shift: 0 };

/** The largest shift over the horizons that have a forecast old enough. */
function findShift(
  { levels, slopes, scale }: Extract<ChannelState, { phase: "on" }>,
  values: readonly number[],
  { rise, fall, config, horizons }: ChannelRule,
): Shift {
  const { damping } = config.forecast;
  const rises = rise === undefined ? Infinity : Math.max(rise, config.shift * scale);
  const falls = fall === undefined ? Infinity : Math.max(fall, config.shift * scale);
  let found = noShift;
  for (const { horizon, width, decayed } of horizons) {
    const level = levels[levels.length - horizon - 1];
    const slope = slopes[slopes.length - horizon - 1];
    if (level === undefined || slope === undefined) continue;
    const forecast = level + (slope * damping * decayed) / (1 - damping);
    const from = Math.max(0, values.length - width);
    if (!isAnyFar(values, from, { forecast, rises, falls })) continue;
    const shift = median(values, from) - forecast;
    const threshold = shift > 0 ? rises : falls;
    const reached = Math.abs(shift) >= 2 * threshold ? 3 : Math.abs(shift) >= threshold ? 2 : 0;
    if (reached > found.level) found = { level: reached, shift };
  }
  return found;
}

type Reach = { forecast: number; rises: number; falls: number };

/** Whether a value is as far from the forecast as a shift is: where none is, their median is not, and nobody sorts. */
function isAnyFar(values: readonly number[], from: number, { forecast, rises, falls }: Reach): boolean {
  for (let i = from; i < values.length; i++) {
    const residual = (values[i] ?? NaN) - forecast;
    if (!(residual < rises && -residual < falls)) return true;
  }
  return false;
}

function spikeLevel(z: number, { rise, fall, config }: ChannelRule): 0 | 1 {
  return (z >= config.spike && rise !== undefined) || (-z >= config.spike && fall !== undefined) ? 1 : 0;
}
