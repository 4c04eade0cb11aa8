import type { DetectorConfig } from "../config.ts";
import { nextPerformance, type PerformanceReading, type PerformanceState } from "./performance.ts";
import { firstOf, heldOutSuccess, isRate, trainingSuccess, type SuccessKey } from "./point.ts";

export type Tracker = { key: SuccessKey; state: PerformanceState; reading: PerformanceReading };

/** Success in training and on held-out tasks, each against its own peak; plain JSON. */
export type Trackers = { training?: Tracker; heldOut?: Tracker };

/** How many independent episodes are behind a success rate. */
export type EffectiveEpisodes = { training: number; heldOut: number };

/** Those that there are: training first. */
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
  const training = nextTracker(trackers.training, { ...input, keys: trainingSuccess, which: "training" }, config);
  const heldOut = nextTracker(trackers.heldOut, { ...input, keys: heldOutSuccess, which: "heldOut" }, config);
  if (training && heldOut) return { training, heldOut };
  return training ? { training } : heldOut ? { heldOut } : {};
}

type TrackerInput = Input & { keys: readonly SuccessKey[]; which: keyof EffectiveEpisodes };

/** The metric is chosen once: a run that logs success stays with success. */
function nextTracker(
  tracker: Tracker | undefined,
  { step, values, effective, isBeforeTraining, keys, which }: TrackerInput,
  config: DetectorConfig,
): Tracker | undefined {
  const found = firstOf(values, tracker ? [tracker.key] : keys);
  if (!found || !Number.isFinite(found.value)) return tracker;
  const source = isRate(found.key)
    ? ({ kind: "rate", numEffective: effective[which] } as const)
    : ({ kind: "reward" } as const);
  const input = { step, value: found.value, source, isBeforeTraining };
  const { state, reading } = nextPerformance(tracker?.state, input, config);
  return { key: found.key, state, reading };
}
