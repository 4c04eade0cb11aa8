import type { Curve } from "#packages/statistics";
import { effectiveEpisodes } from "../signals/robust.ts";
import { shippedConfig } from "../config.ts";
import { findLoss, findNonFinite, labelRule } from "./label.ts";

export const collapseSentence =
  `A run counts as collapsed if it loses at least ${100 * labelRule.lostShare} % of its best success rate (z ≥ ${labelRule.standardErrors}) ` +
  `for ${labelRule.hold} iterations (${labelRule.short.hold} in runs of fewer than ${labelRule.short.below}, or at the end). The best ` +
  "success rate is that of the running median, or of the evaluation before training. A run also counts as collapsed after " +
  `${labelRule.nonFiniteInARow} iterations without finite numbers, or if it ended as diverged.`;

/** Curves by which a finished run's collapse is found. A curve may be empty, and may contain NaN. */
export type StabilityEvidence = {
  /** Success rate of training rollouts per iteration, before any filtering. */
  rollouts: Curve;
  numGroups: number;
  groupSize: number;
  /** Success rate on held-out tasks. */
  evaluations: Curve;
  numEvaluationEpisodes: number;
  loss: Curve;
  gradientNorm: Curve;
  /** Reason why the run ended, as given by its trainer; null if none. */
  reason: string | null;
};

/** `iteration` is the first at which half of the peak was lost or numbers were not finite; for `diverged`, the last. */
export type Collapse = { kind: "success" | "nonFinite" | "diverged"; iteration: number };

export function findCollapse(evidence: StabilityEvidence): Collapse | undefined {
  const { rollouts, numGroups, groupSize, evaluations, numEvaluationEpisodes, loss, gradientNorm, reason } = evidence;
  const numEffective = effectiveEpisodes(numGroups * groupSize, groupSize, shippedConfig.intraGroupCorrelation);
  const firstOf = ({ iterations }: Curve) => iterations[0] ?? Infinity;
  const isFirstBeforeTraining =
    Number.isFinite(evaluations.values[0]) &&
    firstOf(evaluations) < Math.min(firstOf(rollouts), firstOf(gradientNorm), firstOf(loss));
  const sources = [
    { curve: rollouts, numEffective, isFirstBeforeTraining: false },
    { curve: evaluations, numEffective: numEvaluationEpisodes, isFirstBeforeTraining },
  ];
  const [ofRollouts, ofEvaluations] = sources.map(({ curve, numEffective, isFirstBeforeTraining }) => {
    const success = toPoints(curve).filter(({ value }) => Number.isFinite(value));
    return findLoss({ success, measure: { kind: "rate", numEffective }, isFirstBeforeTraining, finite: [] });
  });
  const [ofLoss, ofGradient] = [loss, gradientNorm].map((numbers) =>
    findNonFinite({
      finite: toPoints(numbers).map(({ step, value }) => ({ step, isFinite: Number.isFinite(value) })),
    }),
  );
  // If several collapses have the same iteration, the first in this order is used.
  const labels = [ofLoss, ofRollouts, ofGradient, ofEvaluations].filter((label) => label !== undefined);
  const last = Math.max(0, ...[rollouts, loss, gradientNorm].map(({ iterations }) => iterations.at(-1) ?? 0));
  const found: Collapse[] = labels.map(({ kind, collapseStep = 0 }) => ({
    kind: kind === "nonFinite" ? "nonFinite" : "success",
    iteration: collapseStep,
  }));
  if (reason === "diverged") found.push({ kind: "diverged", iteration: last });
  return found.toSorted((a, b) => a.iteration - b.iteration)[0];
}

function toPoints({ iterations, values }: Curve): { step: number; value: number }[] {
  return Array.from(values, (value, i) => ({ step: iterations[i] ?? 0, value }));
}
