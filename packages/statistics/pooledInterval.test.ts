import { expect, it } from "vitest";
import { pooledMeanInterval } from "./rates.ts";
import { meanInterval } from "./distributions.ts";

it("is the t interval of one stratum", () => {
  const values = [0.2, 0.5, 0.35, 0.8];
  const { mean, halfWidth } = meanInterval(values);
  const { low, high } = pooledMeanInterval([values]);
  expect(low).toBeCloseTo(mean - halfWidth, 12);
  expect(high).toBeCloseTo(mean + halfWidth, 12);
});

it("takes no difference between strata for spread", () => {
  // Values deviate by 0.1 from the mean of their stratum: s² = 0.04 / 2, se = √(0.02 / 4), t(2) = 4.302653.
  const { low, high } = pooledMeanInterval([
    [0.1, 0.3],
    [0.7, 0.9],
  ]);
  expect(high - low).toBeCloseTo(2 * 4.302652729911 * Math.sqrt(0.02 / 4), 9);
  expect((low + high) / 2).toBeCloseTo(0.5, 12);
});

it("says nothing where no stratum has two values", () => {
  expect(pooledMeanInterval([[0.5], [0.7]])).toEqual({ low: NaN, high: NaN });
  expect(pooledMeanInterval([])).toEqual({ low: NaN, high: NaN });
});
