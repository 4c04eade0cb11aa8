import type { PredictorCard } from "#server/domain/stability/predictor/card.ts";
import type { RunPrediction } from "#server/api/reports/predictions.ts";

/** Verdict on the predictor from a test on mechanisms that it never saw, whichever way it turned out. */
export function formatVerdict({ beatsRules, heldOut: { predictor, rules } }: PredictorCard): string {
  const scores = `Brier ${predictor.brier.toFixed(4)} against ${rules.brier.toFixed(4)}`;
  if (beatsRules) {
    return `Better than the rules on held-out mechanisms (${scores}): shown beside them in the replay by default, never instead of them.`;
  }
  const ranks =
    predictor.rocArea > rules.rocArea
      ? `, although it ranks iterations better (ROC area ${predictor.rocArea.toFixed(3)} against ${rules.rocArea.toFixed(3)})`
      : "";
  return `Does not beat the rules on held-out mechanisms (${scores}${ranks}): off by default. The replay has a switch for it.`;
}

/** Points of the reliability diagram for predictor and rules; radii grow with the number of iterations. */
export function prepareReliability({ heldOut }: PredictorCard) {
  const groups = [
    { name: "Predictor", color: "var(--accent)", found: heldOut.reliability },
    { name: "Rules", color: "var(--edge)", found: heldOut.reliabilityOfRules },
  ];
  const most = Math.max(1, ...groups.flatMap(({ found }) => found.map(({ count }) => count)));
  const curves = groups.map(({ name, color, found }) => ({
    name,
    color,
    bins: found.map(({ meanProbability, rate, count }) => ({
      predicted: meanProbability,
      happened: rate,
      count,
      radius: 3 + 5 * Math.sqrt(Math.log1p(count) / Math.log1p(most)),
    })),
  }));
  const rows = curves.flatMap(({ name, bins }) =>
    bins.map(({ predicted, happened, count }) => [name, predicted, happened, count]),
  );
  return { curves, data: [["who", "predicted", "happened", "iterations"], ...rows] };
}

/** Probabilities up to an iteration, and the latest one. */
export function preparePrediction({ predictions }: RunPrediction, until: number) {
  const shown = predictions.filter(({ iteration }) => iteration <= until);
  return {
    last: shown.at(-1)?.probability,
    points: shown.map(({ iteration, probability }) => ({ iteration, value: probability })),
  };
}
