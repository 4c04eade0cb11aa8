import { isCollapse, type RunLabel } from "../label/label.ts";
import { isBeforeTraining, isRelevant, type Point } from "../signals/point.ts";

/** Constants in steps by which alarms are matched to a collapse. */
export const judgement = {
  /** An alarm is true from `before` steps before the onset until `after` steps after half of the peak was lost. */
  before: 60,
  after: 15,
  /** Alarms separated by at most this many steps are merged. */
  merge: 10,
  /** Steps before alarms count, unless an evaluation before training gave a peak. */
  warmup: 20,
} as const;
export type JudgementRule = { readonly [Key in keyof typeof judgement]: number };

/** Returns the constants for a run whose first point is in `points`; `warmup` is the detector's. */
export function judgementOf(points: readonly Point[], warmup: number = judgement.warmup): JudgementRule {
  const first = points.find(isRelevant);
  return { ...judgement, warmup: first !== undefined && isBeforeTraining(first) ? 1 : warmup };
}

export type Judgement = {
  hasCollapsed: boolean;
  isDetected: boolean;
  falseAlarms: number;
  /** Number of steps at which an alarm would be false. */
  healthySteps: number;
  /** Steps from the alarm to the loss of half of the peak (`lead`), and from the onset to the alarm (`delay`). */
  lead?: number;
  delay?: number;
};

/** Returns the indices at which alarms begin, after merging short gaps; none is before the end of the warm-up. */
export function findEpisodes(isAlarm: readonly boolean[], { merge, warmup }: JudgementRule = judgement): number[] {
  const episodes: number[] = [];
  let last = -Infinity;
  for (const [i, isOn] of isAlarm.entries()) {
    if (!isOn) continue;
    if (i >= warmup && i - last > merge) episodes.push(i);
    if (i >= warmup) last = i;
  }
  return episodes;
}

/** Compares the alarms of a rule with a run's label; steps are indices of points. */
export function judgeRun(isAlarm: readonly boolean[], label: RunLabel, rule: JudgementRule = judgement): Judgement {
  const episodes = findEpisodes(isAlarm, rule);
  const length = isAlarm.length;
  if (!isCollapse(label)) {
    const healthySteps = Math.max(0, length - rule.warmup);
    return { hasCollapsed: false, isDetected: false, falseAlarms: episodes.length, healthySteps };
  }
  const { collapseStep = 0, onsetStep = 0, recoveredStep = Infinity } = label;
  const from = Math.max(rule.warmup, onsetStep - rule.before);
  const isTrue = (i: number) => i >= from && i <= collapseStep + rule.after;
  // After a collapse, alarms count as false only from `after` steps after the recovery.
  const wellFrom = recoveredStep + rule.after;
  const first = episodes.find(isTrue);
  return {
    hasCollapsed: true,
    isDetected: first !== undefined,
    falseAlarms: episodes.filter((i) => i < from || i >= wellFrom).length,
    healthySteps: from - rule.warmup + Math.max(0, length - wellFrom),
    ...(first !== undefined && { lead: collapseStep - first, delay: first - onsetStep }),
  };
}
