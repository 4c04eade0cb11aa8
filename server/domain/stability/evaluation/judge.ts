import { isCollapse, type RunLabel } from "../label/label.ts";
import { isBeforeTraining, isRelevant, type Point } from "../signals/point.ts";

/** When an alarm counts as being about a collapse, in steps. */
export const judgement = {
  /** From so long before the onset to so long after half of the peak was gone. */
  before: 60,
  after: 15,
  /** Alarms with gaps up to this are one. */
  merge: 10,
  /** No run is judged before, unless an evaluation before training gave a peak to lose. */
  warmup: 20,
} as const;
export type JudgementRule = { readonly [Key in keyof typeof judgement]: number };

/** How alarms of a run are judged; `points` from its first, `warmup` as the detector beside others has it. */
export function judgementOf(points: readonly Point[], warmup: number = judgement.warmup): JudgementRule {
  const first = points.find(isRelevant);
  return { ...judgement, warmup: first !== undefined && isBeforeTraining(first) ? 1 : warmup };
}

/** What a detector did on one run. */
export type Judgement = {
  hasCollapsed: boolean;
  isDetected: boolean;
  falseAlarms: number;
  /** Steps at which an alarm would have been false. */
  healthySteps: number;
  /** Of a detected collapse: from the alarm to half of the peak gone (positive is early), and from the onset to the alarm. */
  lead?: number;
  delay?: number;
};

/** Indices at which alarms begin: rising edges, gaps merged. An alarm that is on from the start begins when judging does. */
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

/** A detector's alarms of a run against its label; steps of both are indices. */
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
  // After a collapse there is nothing to be wrong about, until the run is well again.
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
