import { heldOutSuccess, trainingSuccess } from "#trainer/spec/metric.ts";
import type { DetectorConfig } from "../config.ts";
import type { Source } from "./drawdown.ts";
import { nextPerformance, type PerformanceReading, type PerformanceState } from "./performance.ts";
import { firstOf, isRate, type SuccessKey } from "./point.ts";

export type Tracker = { key: SuccessKey; state: PerformanceState; reading: PerformanceReading };

/** Trackers of success as plain JSON. Each compares success with its own best value. */
export type Trackers = { training?: Tracker; heldOut?: Tracker };

/** Effective numbers of episodes in a training and a held-out success rate; planned length of the run if known. */
export type EffectiveEpisodes = { training: number; heldOut: number; iterations?: number };

export function trackersOf({ training, heldOut }: Trackers): Tracker[] {
  if (training === undefined) return heldOut === undefined ? [] : [heldOut];
  return heldOut === undefined ? [training] : [training, heldOut];
}

type Input = {
  step: number;
  values: Readonly<Record<string, number>>;
  effective: EffectiveEpisodes;
  isBeforeTraining: boolean;
};

export function nextTrackers(trackers: Trackers, input: Input, config: DetectorConfig): Trackers {
  const training = nextTracker(trackers, { kind: "training", input }, config);
  const heldOut = nextTracker(trackers, { kind: "heldOut", input }, config);
  if (training && heldOut) return { training, heldOut };
  return training ? { training } : heldOut ? { heldOut } : {};
}

const keysOf = { training: trainingSuccess, heldOut: heldOutSuccess } as const;

/** Updates one tracker. It chooses its metric once: a run that has logged success continues to use success. */
function nextTracker(
  trackers: Trackers,
  { kind, input }: { kind: keyof Trackers; input: Input },
  config: DetectorConfig,
): Tracker | undefined {
  const tracker = trackers[kind];
  const { step, values, effective, isBeforeTraining } = input;
  const key = tracker?.key ?? firstOf(values, keysOf[kind])?.key;
  const value = key === undefined ? undefined : values[key];
  if (key === undefined || value === undefined || !Number.isFinite(value)) return tracker;
  const source: Source = isRate(key) ? { kind: "rate", numEffective: effective[kind] } : { kind: "reward" };
  const { state, reading } = nextPerformance(tracker?.state, { step, value, source, isBeforeTraining }, config);
  return { key, state, reading };
}
