import { median } from "#packages/statistics";
import type { Channel } from "./channels.ts";
import type { DetectorConfig } from "../config.ts";
import { clamp, keep, noiseOf, theilSenSlope } from "./robust.ts";

/** 0: calm. 1: isolated spike. 2: a significant and practically relevant shift. 3: a shift twice that large. */
export type Level = 0 | 1 | 2 | 3;

/** State of one metric's forecaster, as plain JSON: first values during warm-up, then a damped trend. */
export type ChannelState =
  | { phase: "warm"; values: readonly number[] }
  | {
      phase: "on";
      level: number;
      slope: number;
      scale: number;
      /** Number of values so far; only for channels that grow in proportion to time. */
      count?: number;
      /** Levels and slopes after the last updates, oldest first, from which past forecasts are recomputed. */
      levels: readonly number[];
      slopes: readonly number[];
      /** Most recent values on the channel's scale, oldest first. */
      values: readonly number[];
    };

export const coldChannel: ChannelState = { phase: "warm", values: [] };

export type ChannelReading = {
  level: Level;
  /** Logged value after the channel's transform, which is usually the logarithm. */
  value: number;
  /** One-step forecast of `value`; absent during warm-up. */
  forecast?: number;
  /** Robust z-score: residual of the forecast divided by the estimated noise standard deviation. */
  z?: number;
  /** Median of recent values minus its earlier forecast, at the highest level's horizon; absent below level 2. */
  shift?: number;
};

/** Constants of a channel; `floor` is its smallest noise standard deviation. */
export type ChannelRule = Pick<Channel, "rise" | "fall"> & {
  floor: number;
  config: DetectorConfig;
  /** True if growth in proportion to time is expected. The channel's scale must then be logarithmic. */
  isGrowing: boolean;
  /** Number of values before the channel's first test. */
  warmup: number;
  /** `horizon`: in steps; `width`: values in the median; `decayed`: 1 − damping^horizon, lost fraction of the slope. */
  horizons: readonly { horizon: number; width: number; decayed: number }[];
  /** Numbers of recent values, and of trend levels and slopes, in the state. */
  numValues: number;
  numLevels: number;
};

/**
 * Advances a channel by one finite value on its scale. Healthy metrics have trends (KL grows, entropy decays), so
 * values are compared with a robust damped-trend forecast made H steps before, at a fast and a slow horizon. Residuals
 * are clipped, so that a spike does not move the forecast.
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
  const count = state.count === undefined ? {} : { count: state.count + 1 };
  const shifted = findShift({ ...state, ...count }, values, rule);
  const level = shifted.level === 0 ? spikeLevel(z, rule) : shifted.level;

  const nextLevel = forecast + alpha * clipped;
  const slope = clamp(damping * state.slope + alpha * beta * clipped, -slopeMax, slopeMax);
  const noise = 1.2533 * Math.min(Math.abs(z), huber) * state.scale;
  const scale = Math.max(rule.floor, (1 - scaleRate) * state.scale + scaleRate * noise);
  const levels = keep(state.levels, nextLevel, rule.numLevels);
  const slopes = keep(state.slopes, slope, rule.numLevels);
  const next = { phase: "on", level: nextLevel, slope, scale, levels, slopes, values, ...count } as const;
  const reading: ChannelReading = { level, value, forecast, z };
  if (shifted.level > 0) reading.shift = shifted.shift;
  return { state: next, reading };
}

/** Starts the trend from the first values: noise from differences and slope from pairs, robust to outliers. */
function startTrend(values: readonly number[], { floor, config, isGrowing }: ChannelRule): ChannelState {
  const { slopeMax } = config.forecast;
  const raw = theilSenSlope(values);
  const level = median(values.map((y, t) => y - raw * t)) + raw * (values.length - 1);
  const slope = 0.5 * clamp(raw, -slopeMax, slopeMax);
  const scale = Math.max(floor, noiseOf(values));
  const count = isGrowing ? { count: values.length } : {};
  return { phase: "on", level, slope, scale, levels: [level], slopes: [slope], values, ...count };
}

type Shift = { level: 0 | 2 | 3; shift: number };
const noShift: Shift = { level: 0, shift: 0 };

/**
 * Finds the shift (median minus forecast) with the highest alarm level. Horizons for which no forecast was made that
 * long ago are skipped.
 */
function findShift(
  { levels, slopes, scale, count = Infinity }: Extract<ChannelState, { phase: "on" }>,
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
    const trend = (slope * damping * decayed) / (1 - damping);
    // A value that grows in proportion to time is (n − 1)/(n − 1 − H) times as large after H more values.
    const growth = count === Infinity ? trend : Math.max(trend, Math.log((count - 1) / (count - 1 - horizon)));
    const forecast = level + growth;
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

/** True if any value is as far from the forecast as a shift. Otherwise the median is not, and needs no sorting. */
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
