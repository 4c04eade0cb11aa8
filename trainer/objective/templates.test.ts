import { expect, test } from "vitest";
import { measureTemplates } from "./templates.ts";

/**
 * Log-probabilities of six responses under three prompts, with RAGEN's results
 * (docs/reference_mutual_information_metrics.md, 20daedc).
 */
const cross = [
  [-2.0, -4.5, -6.0],
  [-2.5, -3.8, -5.2],
  [-5.0, -1.8, -4.0],
  [-4.2, -2.6, -4.4],
  [-3.0, -3.1, -2.9],
  [-6.0, -5.0, -1.5],
].map((row) => Float64Array.from(row));
const own = [0, 0, 1, 1, 2, 2];

test("equals the golden figures", () => {
  const found = measureTemplates(cross, own);
  expect(found.mutualInformation).toBeCloseTo(0.784537207728, 10);
  expect(found.conditionalEntropy).toBeCloseTo(2.216666666667, 10);
  expect(found.marginalEntropy).toBeCloseTo(3.001203874395, 10);
  expect(found.retrievalAccuracy).toBe(1);
  expect(found.zScore).toBeCloseTo(2.71737430219, 10);
});

test("one answer for all prompts: no information, whatever its entropy", () => {
  const same = cross.map((_, i) => new Float64Array(3).fill(-1 - i));
  const found = measureTemplates(same, own);
  expect(found.mutualInformation).toBeCloseTo(0, 12);
  expect(found.conditionalEntropy).toBeCloseTo(3.5, 12);
  // All prompts tie for the maximum, and ties count as retrieved.
  expect(found.retrievalAccuracy).toBe(1);
});

test("answers that could be no other prompt's: the logarithm of the prompts' number", () => {
  const apart = own.map((prompt) => Float64Array.from([0, 1, 2], (j) => (j === prompt ? -5 : -500)));
  expect(measureTemplates(apart, own).mutualInformation).toBeCloseTo(Math.log(3), 10);
});
