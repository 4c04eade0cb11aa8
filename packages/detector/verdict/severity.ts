import type { DetectorConfig } from "../config.ts";
import type { EventKind } from "../event.ts";
import type { GroupReading } from "../signals/groups.ts";
import type { NonFiniteReading, NonFiniteState } from "../signals/nonFinite.ts";
import type { Status } from "./status.ts";
import { trackersOf, type Tracker, type Trackers } from "../signals/trackers.ts";

export type Signs = {
  groups: GroupReading;
  trackers: Trackers;
  nonFinite: NonFiniteReading;
  stall: "stalled" | "saturated" | undefined;
  guards: readonly string[];
};

/** Severity 2: two groups agree, one stays severe, success is lost, or repeated NaN or ∞. 1: weaker signs. 0: none. */
export function severityOf(signs: Signs, { recent }: NonFiniteState, config: DetectorConfig) {
  const { groups, nonFinite, stall, guards } = signs;
  const trackers = trackersThatCount(signs, config);
  const hasLost = (level: 1 | 2) => trackers.some(({ reading }) => reading.level === level);
  const isUnstable = groups.numHigh >= 2 || groups.isPersistent || hasLost(2) || nonFinite.severity === 2;
  const isNoted =
    groups.numHigh >= 1 || hasLost(1) || nonFinite.severity === 1 || guards.length > 0 || stall === "stalled";
  const lost = trackers.some(({ reading }) => reading.isCollapsed);
  const isBack = trackers.every(({ reading }) => reading.isRecovered && !recent.slice(-reading.hold).includes(true));
  const severity: 0 | 1 | 2 = isUnstable ? 2 : isNoted ? 1 : 0;
  const isSureEarly = trackers.some(({ reading }) => reading.isFromStart && reading.level === 2);
  return {
    severity,
    isSureEarly,
    isCollapsed: lost || nonFinite.isCollapsed,
    isRecovered: isBack && trackers.length > 0,
  };
}

/** Returns the main cause of a status, in this order: non-finite numbers, effects (success), causes (channels). */
export function causeOf(signs: Signs, status: Status, config: DetectorConfig): EventKind {
  const { groups, nonFinite, stall, guards } = signs;
  const trackers = trackersThatCount(signs, config);
  const worst = Math.max(0, ...trackers.map(({ reading }) => reading.level));
  if (status === "collapsed") return nonFinite.isCollapsed ? "nonFinite" : "performance";
  if (nonFinite.severity === 2) return "nonFinite";
  if (status === "unstable" && worst === 2) return "performance";
  if (groups.levels.hacking !== undefined) return "hacking";
  if (groups.numHigh > 0) return "drift";
  if (worst > 0) return "performance";
  if (nonFinite.severity > 0) return "nonFinite";
  return guards.length > 0 || stall === undefined ? "guard" : stall;
}

/** True if success is so far below its best that the run is unstable. */
export function hasFallen(trackers: Trackers, config: DetectorConfig): boolean {
  return trackersThatCount({ trackers }, config).some(({ reading }) => reading.level === 2);
}

function trackersThatCount({ trackers }: Pick<Signs, "trackers">, { muted }: DetectorConfig): Tracker[] {
  return muted.includes("performance") ? [] : trackersOf(trackers);
}
