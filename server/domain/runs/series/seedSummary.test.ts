import { expect, it } from "vitest";
import { bootstrap, interquartileMean, makeMeanBootstrap, type Curve } from "#packages/statistics";
import type { Aggregate } from "./chartData.ts";
import { summariseSeeds } from "./seedSummary.ts";

/** Eight seeds at three iterations. The expected values are from NumPy and SciPy. */
const columns = [
  [0.6, 0.466, 0.609, 0.507, 0.616, 0.704, 0.315, 0.565],
  [0.645, 0.532, 0.801, 0.673, 0.46, 0.398, 0.407, 0.41],
  [0.559, 0.451, 0.526, 0.654, 0.596, 0.531, 0.324, 0.641],
];
const curve = (values: readonly number[], first = 0): Curve => ({
  iterations: Int32Array.from(values, (_, i) => first + i),
  values: Float64Array.from(values),
});
const seeds = Array.from({ length: 8 }, (_, seed) => curve(columns.map((column) => column[seed] ?? NaN)));

type Expected = { value: number; low: number; high: number };
const figures: Record<Aggregate, { digits: number; at: readonly Expected[] }> = {
  std: {
    digits: 12,
    at: [
      { value: 0.54775, low: 0.54775 - 0.11854324105574301, high: 0.54775 + 0.11854324105574301 },
      { value: 0.54075, low: 0.54075 - 0.15026048810553722, high: 0.54075 + 0.15026048810553722 },
      { value: 0.53525, low: 0.53525 - 0.10781432451872326, high: 0.53525 + 0.10781432451872326 },
    ],
  },
  interval: {
    digits: 8,
    at: [
      { value: 0.54775, low: 0.44864537035960467, high: 0.6468546296403952 },
      { value: 0.54075, low: 0.4151290882494786, high: 0.6663709117505215 },
      { value: 0.53525, low: 0.4451149690509722, high: 0.6253850309490278 },
    ],
  },
  median: {
    digits: 12,
    at: [
      { value: 0.5825, low: 0.49675, high: 0.61075 },
      { value: 0.496, low: 0.40925, high: 0.652 },
      { value: 0.545, low: 0.50725, high: 0.60725 },
    ],
  },
  // The interval is that of scipy.stats.trim_mean and scipy.stats.bootstrap (percentile) with 200,000 resamples (here
  // 1,000).
  iqm: {
    digits: 1.7,
    at: [
      { value: 0.57025, low: 0.46325, high: 0.6305 },
      { value: 0.51175, low: 0.4085, high: 0.66425 },
      { value: 0.553, low: 0.458, high: 0.62 },
    ],
  },
};

it.each(["std", "interval", "median", "iqm"] as const)("gives NumPy's and SciPy's figures: %s", (aggregate) => {
  const summary = summariseSeeds(seeds, aggregate);
  for (const [i, { value, low, high }] of figures[aggregate].at.entries()) {
    expect(summary.values[i]).toBeCloseTo(value, 12);
    const edges = summary.edgesAt(i);
    expect(edges?.low).toBeCloseTo(low, figures[aggregate].digits);
    expect(edges?.high).toBeCloseTo(high, figures[aggregate].digits);
  }
});

it("visits every resample of four seeds once, as counting all 256 of them does", () => {
  // The bounds are the 7th and the 250th of the sorted trimmed means of itertools.product of the four values.
  expect(makeMeanBootstrap()([0.466, 0.507, 0.6, 0.609])).toEqual({ low: 0.466, high: 0.609 });
});

it.each([2, 5, 8, 13])("bootstraps %i seeds as the statistics of tables do", (size) => {
  const sample = Array.from({ length: size }, (_, i) => Math.sin(3 * i));
  const { interval } = bootstrap([sample.toSorted((a, b) => a - b)], ([drawn = []]) => interquartileMean(drawn), {
    numResamples: 1000,
  });
  const fast = makeMeanBootstrap()(sample.toSorted((a, b) => a - b));
  expect(fast.low).toBeCloseTo(interval.low, 12);
  expect(fast.high).toBeCloseTo(interval.high, 12);
});

it.each(["std", "interval", "median", "iqm"] as const)(
  "%s: a single seed has no band, and what is not finite enters nothing",
  (aggregate) => {
    const summary = summariseSeeds([curve([1, 2, NaN]), curve([Infinity, 4]), curve([NaN, 3])], aggregate);
    expect([...summary.values]).toEqual([1, 3, NaN]);
    expect([...summary.n]).toEqual([1, 3, 0]);
    expect([0, 1, 2].map((i) => summary.edgesAt(i) === null)).toEqual([true, false, true]);
  },
);
