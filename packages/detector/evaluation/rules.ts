import { type DetectorConfig, shippedConfig } from "../config.ts";
import { makeDetector } from "../detector.ts";
import type { Point } from "../signals/point.ts";
import { replay } from "../replay.ts";
import { rank, type Status } from "../verdict/status.ts";
import type { EffectiveEpisodes } from "../signals/trackers.ts";
import { baselines, type Rule } from "./baselines.ts";

type Seen = { points: readonly Point[]; statuses: readonly Status[] };
/** Detector statuses, one per point: `whole` from all metrics, `causes` from all except success. */
export type SeenStatuses = { whole: readonly Status[]; causes?: readonly Status[] };

/** Makes alarm rules from the detector, on while a run's status is at or above a given one. Runs are replayed once. */
export function rulesOf(effective: EffectiveEpisodes, config: DetectorConfig = shippedConfig, seen?: Seen) {
  const detector = makeDetector(effective, config);
  const known = new WeakMap<readonly Point[], readonly Status[]>(seen && [[seen.points, seen.statuses]]);
  const statusesOf = (points: readonly Point[]): readonly Status[] => {
    const statuses = known.get(points) ?? replay(detector, points).readings.map(({ status }) => status);
    known.set(points, statuses);
    return statuses;
  };
  return (title: string, from: Status): Rule => ({
    title,
    alarms: (points) => statusesOf(points).map((status) => rank[status] >= rank[from]),
  });
}

export function allRules(
  effective: EffectiveEpisodes,
  config: DetectorConfig = shippedConfig,
  seen?: SeenStatuses & { points: readonly Point[] },
): Rule[] {
  const whole = rulesOf(effective, config, seen && { points: seen.points, statuses: seen.whole });
  const causes = rulesOf(effective, causesOnly(config), seen?.causes && { points: seen.points, statuses: seen.causes });
  return [
    whole("unstable or worse", "unstable"),
    causes("unstable or worse, causes only", "unstable"),
    whole("warning or worse", "warning"),
    causes("warning or worse, causes only", "warning"),
    whole("collapsed", "collapsed"),
    ...baselines,
  ];
}

const readSuccess = ["performance", "hacking"] as const;

export const causesOnlySentence =
  "The rules “causes only” ignore the alarms that read success: loss of performance and reward hacking.";

/** Mutes the rules on success, so that collapses are predicted only from causes such as KL and entropy. */
export function causesOnly(config: DetectorConfig): DetectorConfig {
  return { ...config, muted: [...config.muted, ...readSuccess] };
}
