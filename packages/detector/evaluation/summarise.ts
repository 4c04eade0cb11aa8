import { split } from "#trainer/spec/rng.ts";
import { poissonInterval, wilsonInterval, type Interval, median, quantile } from "#packages/statistics";
import type { Judgement } from "./judge.ts";

/** Performance of an alarm rule on a set of runs. Rates are NaN if their denominator is 0. */
export type Evaluation = {
  numRuns: number;
  numCollapses: number;
  detected: number;
  falseAlarms: number;
  healthySteps: number;
  recall: number;
  /** 95 % Wilson interval of the recall; it applies because each run has at most one collapse. */
  recallInterval: Interval;
  /** Detected collapses divided by all alarms. */
  precision: number;
  /** 95 % bootstrap interval over runs (one may raise several alarms); Wilson's if all alarms are true or all false. */
  precisionInterval: Interval;
  /** Number of false alarms per 1,000 healthy steps, with its exact 95 % Poisson interval. */
  falseAlarmRate: number;
  falseAlarmInterval: Interval;
  /** Lead in steps over detected collapses: median, quartiles, and the fraction with at least ten steps. */
  lead: { median: number; low: number; high: number; atLeastTen: number };
  /** Median number of steps from the onset to the alarm. */
  delay: number;
};

export function summarise(judgements: readonly Judgement[], { resamples = 2000 } = {}): Evaluation {
  const { collapses, detected, falseAlarms } = count(judgements);
  const healthySteps = judgements.reduce((sum, { healthySteps }) => sum + healthySteps, 0);
  const perThousand = (x: number) => (1000 * x) / healthySteps;
  const { low, high } = poissonInterval(falseAlarms);
  const leads = judgements.flatMap(({ lead }) => (lead === undefined ? [] : [lead]));
  const delays = judgements.flatMap(({ delay }) => (delay === undefined ? [] : [delay]));
  return {
    numRuns: judgements.length,
    numCollapses: collapses,
    detected,
    falseAlarms,
    healthySteps,
    recall: detected / collapses,
    recallInterval: wilsonInterval(detected, collapses),
    precision: detected / (detected + falseAlarms),
    precisionInterval: bootstrapPrecision(judgements, resamples),
    falseAlarmRate: perThousand(falseAlarms),
    falseAlarmInterval: { low: perThousand(low), high: perThousand(high) },
    lead: {
      median: median(leads),
      low: quantile(leads, 0.25),
      high: quantile(leads, 0.75),
      atLeastTen: leads.filter((lead) => lead >= 10).length / leads.length,
    },
    delay: median(delays),
  };
}

function bootstrapPrecision(judgements: readonly Judgement[], resamples: number): Interval {
  // If all alarms are true or all false, bootstrap samples are equal, and an interval of zero width would mislead.
  const alarming = judgements.filter(({ isDetected, falseAlarms }) => isDetected || falseAlarms > 0);
  const { detected: numTrue, falseAlarms: numFalse } = count(judgements);
  if (numTrue === 0 || numFalse === 0) return wilsonInterval(numTrue > 0 ? alarming.length : 0, alarming.length);
  const rng = split("precision");
  const values = Array.from({ length: resamples }, () => {
    const { detected, falseAlarms } = count(
      judgements.map((judgement) => judgements[rng.int(judgements.length)] ?? judgement),
    );
    return detected / (detected + falseAlarms);
  }).filter(Number.isFinite);
  return { low: quantile(values, 0.025), high: quantile(values, 0.975) };
}

function count(judgements: readonly Judgement[]) {
  let [collapses, detected, falseAlarms] = [0, 0, 0];
  for (const judgement of judgements) {
    collapses += Number(judgement.hasCollapsed);
    detected += Number(judgement.isDetected);
    falseAlarms += judgement.falseAlarms;
  }
  return { collapses, detected, falseAlarms };
}
