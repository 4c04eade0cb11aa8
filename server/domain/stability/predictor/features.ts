import type { ChannelState } from "../signals/channel.ts";
import { channelGroups, channelNames, channels, type ChannelName } from "../signals/channels.ts";
import { shippedConfig } from "../config.ts";
import type { DetectorState } from "../detector.ts";
import { isRate } from "../signals/point.ts";
import { clamp } from "../signals/robust.ts";
import { median } from "#server/domain/statistics/summary.ts";
import type { Tracker } from "../signals/trackers.ts";

const ofChannel = ["known", "residual", "shift", "slope", "level"] as const;
const ofTracker = ["known", "lostShare", "lostErrors", "now"] as const;
const ofRun = ["groupsHigh", "severeSteps", "hackingHits", "nonFinite", "idleSteps"] as const;

/** Features of the predictor in this order; a model states the list it was trained with. */
export const featureNames: readonly string[] = [
  ...channelNames.flatMap((name) => ofChannel.map((part) => `${name}/${part}`)),
  ...["training", "heldOut"].flatMap((name) => ofTracker.map((part) => `${name}/${part}`)),
  ...ofRun,
];

/**
 * Features from the detector's state after a step, of about unit size: residuals in noise scales, loss of success
 * against its best. No feature reveals the run's progress, or the predictor would learn when its examples collapsed
 * instead of why. Unlogged metrics are 0, with `known` 0. @returns one number per feature name
 */
export function readFeatures(state: DetectorState): Float32Array {
  const { trackers, groups, hacking, nonFinite, idleSteps, step } = state;
  const high = Object.values(groups).filter(({ highAt }) => step - highAt < shippedConfig.coOccurrence);
  const severe = Math.max(0, ...high.map(({ severeSteps }) => severeSteps));
  return Float32Array.from([
    ...channelNames.flatMap((name) => readChannel(name, state)),
    ...readTracker(trackers.training),
    ...readTracker(trackers.heldOut),
    high.length / channelGroups.length,
    Math.min(1, severe / shippedConfig.persistence),
    hacking.hits / shippedConfig.hacking.hits,
    Math.min(1, nonFinite.inARow / shippedConfig.nonFinite.collapsed),
    Math.min(1, idleSteps / shippedConfig.stall.steps),
  ]);
}

function readChannel(name: ChannelName, { channels: bank, step }: DetectorState): number[] {
  const { state, last } = bank[name];
  const isFresh = last !== null && step - last.step < shippedConfig.coOccurrence;
  if (state.phase === "warm" || !isFresh) return ofChannel.map(() => 0);
  const { slopeMax } = shippedConfig.forecast;
  return [1, clamp((last.z ?? 0) / 6, -2, 2), readShift(name, state), state.slope / slopeMax, last.level / 3];
}

/** Shift of the last values against the oldest stored level, in units of a large shift. */
function readShift(name: ChannelName, { levels, values, scale }: Extract<ChannelState, { phase: "on" }>): number {
  const shift = median(values.slice(-5)) - (levels[0] ?? 0);
  const { rise, fall } = channels[name];
  const smallest = (shift > 0 ? rise : fall) ?? rise ?? fall ?? 1;
  return clamp(shift / Math.max(smallest, shippedConfig.shift * scale), -3, 3);
}

function readTracker(tracker: Tracker | undefined): number[] {
  if (!tracker) return ofTracker.map(() => 0);
  const { relative, z, now } = tracker.reading;
  // A reward's zero is arbitrary; the remaining part of its range is not.
  const left = isRate(tracker.key) ? now : 1 - relative;
  return [1, clamp(relative, 0, 1), clamp(z / 4, 0, 3), clamp(left, -1, 1)];
}
