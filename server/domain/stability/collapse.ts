import type { RunReason } from "../runStatus.ts";
import type { Curve } from "../series/series.ts";
import { median } from "../statistics/summary.ts";

/**
 * Every threshold of the rule, in one place. A run has collapsed when half of its best success is lost, by more than
 * its sample size explains, and stays lost; or when its numbers are no longer finite. KL, gradients and entropy are
 * causes and never enter: a rule that used them could not be tested against them.
 */
export const collapseRule = {
  /** Share of the peak that is lost. */
  lostShare: 0.5,
  /** Standard errors on the arcsine scale, where a rate's noise does not depend on the rate. */
  standardErrors: 4,
  /** Centred running median over this many points, and how many in a row must be low. */
  rollouts: { window: 5, hold: 5 },
  evaluations: { window: 3, hold: 2 },
  /** Correlation of the episodes of one group, which share their task. */
  groupCorrelation: 0.1,
  /** Iterations in a row without a finite loss or gradient. */
  nonFiniteInARow: 10,
} as const;

/** The rule in a sentence, for notes under tables. */
export const collapseSentence =
  `Collapsed: at least ${100 * collapseRule.lostShare} % of the best success rate lost (running median, z ≥ ` +
  `${collapseRule.standardErrors}) for ${collapseRule.rollouts.hold} iterations or ${collapseRule.evaluations.hold} ` +
  `evaluations in a row, ${collapseRule.nonFiniteInARow} iterations without finite numbers, or ended as diverged.`;

/** What the rule looks at. Curves may be empty; NaN is kept. */
export type StabilityEvidence = {
  /** Success of training rollouts, per iteration, before any filtering. */
  rollouts: Curve;
  numGroups: number;
  groupSize: number;
  /** Success on held-out tasks. */
  evaluations: Curve;
  numEvaluationEpisodes: number;
  loss: Curve;
  gradientNorm: Curve;
  reason: RunReason | null;
};

/** `iteration` is where half of the peak was first lost, or where numbers stopped being finite. */
export type Collapse = { kind: "success" | "nonFinite" | "diverged"; iteration: number };

/** When a run collapsed, in hindsight; undefined if it did not. */
export function findCollapse(evidence: StabilityEvidence): Collapse | undefined {
  const { rollouts, numGroups, groupSize, evaluations, numEvaluationEpisodes, loss, gradientNorm, reason } = evidence;
  const numRollouts = (numGroups * groupSize) / (1 + (groupSize - 1) * collapseRule.groupCorrelation);
  const lost = [
    findLoss(rollouts, { numSamples: numRollouts, ...collapseRule.rollouts }),
    findLoss(evaluations, { numSamples: numEvaluationEpisodes, ...collapseRule.evaluations }),
  ];
  const nonFinite = [findNonFinite(loss), findNonFinite(gradientNorm)];
  const last = Math.max(0, ...[rollouts, loss, gradientNorm].map(({ iterations }) => iterations.at(-1) ?? 0));
  const found: Collapse[] = [
    ...lost.flatMap((iteration) => (iteration === undefined ? [] : [{ kind: "success" as const, iteration }])),
    ...nonFinite.flatMap((iteration) => (iteration === undefined ? [] : [{ kind: "nonFinite" as const, iteration }])),
    ...(reason === "diverged" ? [{ kind: "diverged" as const, iteration: last }] : []),
  ];
  return found.toSorted((a, b) => a.iteration - b.iteration)[0];
}

type Channel = { numSamples: number; window: number; hold: number };

/** First iteration of the first stretch in which the smoothed rate stays low. */
function findLoss(curve: Curve, { numSamples, window, hold }: Channel): number | undefined {
  const points = toFinitePoints(curve);
  const smooth = points.map((_, i) => {
    const from = Math.max(0, i - (window >> 1));
    return median(points.slice(from, i + (window >> 1) + 1).map(({ value }) => value));
  });
  // The median of w values is this much noisier than their mean.
  const standardError = 1.2533 / (2 * Math.sqrt(numSamples * window));
  let peak = 0;
  let numLow = 0;
  for (const [i, now] of smooth.entries()) {
    peak = Math.max(peak, now);
    const z = (toArcsine(peak) - toArcsine(now)) / (Math.SQRT2 * standardError);
    const isLow = now <= (1 - collapseRule.lostShare) * peak && z >= collapseRule.standardErrors;
    numLow = isLow ? numLow + 1 : 0;
    if (numLow === hold) return points[i - hold + 1]?.iteration;
  }
  return undefined;
}

function findNonFinite({ iterations, values }: Curve): number | undefined {
  let inARow = 0;
  for (const [i, value] of values.entries()) {
    inARow = Number.isFinite(value) ? 0 : inARow + 1;
    if (inARow === collapseRule.nonFiniteInARow) return iterations[i - inARow + 1];
  }
  return undefined;
}

function toFinitePoints({ iterations, values }: Curve): { iteration: number; value: number }[] {
  return Array.from(values, (value, i) => ({ iteration: iterations[i] ?? 0, value })).filter(({ value }) =>
    Number.isFinite(value),
  );
}

function toArcsine(rate: number): number {
  return Math.asin(Math.sqrt(Math.min(1, Math.max(0, rate))));
}
