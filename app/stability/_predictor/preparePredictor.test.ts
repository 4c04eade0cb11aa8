import { expect, it } from "vitest";
import { preparePrediction, prepareReliability, formatVerdict } from "./preparePredictor.ts";
import type { PredictorCard } from "#server/domain/stability/predictor/card.ts";

const scores = { examples: 1000, baseRate: 0.1, skill: 0.2 };
const none = { runs: 0, collapsed: 0, examples: 0 };
const bin = { low: 0, high: 0.1, meanProbability: 0.05, rate: 0.04 };

function cardOf(predictor: number, rules: number): PredictorCard {
  return {
    v: 1,
    id: "0123456789abcdef",
    horizon: 20,
    detector: "rules-1-0",
    features: [],
    trainedOn: { groups: [], madeUp: none, real: none },
    heldOut: {
      groups: [],
      predictor: { ...scores, brier: predictor, rocArea: 0.83 },
      rules: { ...scores, brier: rules, rocArea: 0.78 },
      reliability: [
        { ...bin, count: 900 },
        { ...bin, meanProbability: 0.8, rate: 0.5, count: 3 },
      ],
      reliabilityOfRules: [{ ...bin, count: 903 }],
    },
    beatsRules: predictor < rules,
  };
}

it("says plainly when the predictor is no better than the rules, and what it is better at", () => {
  expect(formatVerdict(cardOf(0.041, 0.0406))).toBe(
    "Does not beat the rules on held-out mechanisms (Brier 0.0410 against 0.0406, although it ranks iterations better (ROC area 0.830 against 0.780)): off by default. The replay has a switch for it.",
  );
  expect(formatVerdict(cardOf(0.03, 0.0406))).toContain("Better than the rules");
});

it("draws bins of both, the fuller the larger, and exports what it draws", () => {
  const { curves, data } = prepareReliability(cardOf(0.04, 0.05));
  const [full, scarce] = curves[0]?.bins ?? [];
  expect(full?.radius).toBeGreaterThan(scarce?.radius ?? NaN);
  expect(data).toHaveLength(4);
  expect(data[2]).toEqual(["Predictor", 0.8, 0.5, 3]);
});

it("tells nothing of iterations that the replay has not reached", () => {
  const predictions = [21, 22, 23].map((iteration) => {
    return { iteration, status: "healthy" as const, probability: iteration / 100 };
  });
  const shown = preparePrediction({ predictor: "x", horizon: 20, predictions }, 22);
  expect(shown.last).toBe(0.22);
  expect(shown.points.map(({ iteration }) => iteration)).toEqual([21, 22]);
});
