import type { DetectorConfig } from "../config.ts";

/** Statuses that the detector gives a run. After a collapse, the status never returns to healthy. */
export const statuses = ["warmup", "healthy", "warning", "unstable", "collapsed", "recovered"] as const;
export type Status = (typeof statuses)[number];

/** State as plain JSON. `calm`: consecutive steps without any sign; `mild`: without a sign of severity 2. */
export type StatusState = { status: Status; calm: number; mild: number; hasCollapsed: boolean };

export const warmingUp: StatusState = { status: "warmup", calm: 0, mild: 0, hasCollapsed: false };

type Seen = {
  /** Severity of the step's signs. 0: none; 1: worth a warning; 2: unstable. */
  severity: 0 | 1 | 2;
  /** True if the severity depends on a measurement before training, which counts even during warm-up. */
  isSureEarly: boolean;
  isCollapsed: boolean;
  isRecovered: boolean;
};

/** `warmup`: number of steps before the detector reports a status other than `warmup`. */
type Signs = { step: number; warmup: number; seen: Seen };

/** Updates the status: fast rise, slow fall. During warm-up, only collapses and losses since before training count. */
export function nextStatus(state: StatusState, signs: Signs, config: DetectorConfig): StatusState {
  const { severity } = signs.seen;
  const calm = severity === 0 ? state.calm + 1 : 0;
  const mild = severity <= 1 ? state.mild + 1 : 0;
  const { hasCollapsed } = state;
  const status = decideStatus({ status: state.status, calm, mild, hasCollapsed }, signs, config);
  return { status, calm, mild, hasCollapsed: hasCollapsed || status === "collapsed" };
}

function decideStatus(
  { status, calm, mild, hasCollapsed }: StatusState,
  { step, warmup, seen }: Signs,
  config: DetectorConfig,
): Status {
  if (seen.isCollapsed) return "collapsed";
  if (status === "collapsed") return seen.isRecovered ? "recovered" : "collapsed";
  if (status === "warmup" && step < warmup && !seen.isSureEarly) return "warmup";
  const well = hasCollapsed ? "recovered" : "healthy";
  if (seen.severity === 2) return "unstable";
  if (status === "unstable") return calm >= config.calm ? well : mild >= config.mild ? "warning" : "unstable";
  if (seen.severity === 1) return "warning";
  return status === "warning" && calm < config.calm ? "warning" : well;
}

/** Rank of each status. A status with a higher rank than before creates an event. */
export const rank: Record<Status, 0 | 1 | 2 | 3> = {
  warmup: 0,
  healthy: 0,
  recovered: 0,
  warning: 1,
  unstable: 2,
  collapsed: 3,
};
