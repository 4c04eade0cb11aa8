import { split } from "#trainer/spec/rng.ts";
import { describe, expect, it } from "vitest";
import { bootstrap, percentileInterval, resample } from "./bootstrap.ts";
import { bootstrapImprovement, probabilityOfImprovement } from "./effectSize.ts";
import { performanceProfile } from "./comparePooled.ts";
import { meanOverTasks, medianOverTasks, pooledInterquartileMean, pooledOptimalityGap, type Scores } from "./scores.ts";
import { meanInterval } from "./distributions.ts";
import { interquartileMean, lowerTailMean, mean, median, quantile, std } from "./summary.ts";
import { fixtures } from "./testing/fixtures.ts";

// Scores (K, N) of three tasks and four seeds.
const s: Scores = [
  [0.2, 0.4, 0.3, 0.25],
  [0.55, 0.6, 0.1, 0.65],
  [0.9, 0.95, 1, 0.85],
];
const t: Scores = [
  [0.15, 0.35, 0.1, 0.2],
  [0.5, 0.45, 0.4, 0.58],
  [0.7, 0.8, 0.95, 0.75],
];

describe("the worked example of three tasks and four seeds", () => {
  it("aggregates", () => {
    expect([pooledInterquartileMean(s), pooledInterquartileMean(t)]).toEqual([
      expect.closeTo(0.558333, 6),
      expect.closeTo(0.496667, 6),
    ]);
    expect([meanOverTasks(s), medianOverTasks(s)]).toEqual([expect.closeTo(0.5625, 12), expect.closeTo(0.475, 12)]);
    expect([pooledOptimalityGap(s), pooledOptimalityGap(t), pooledOptimalityGap(s, 0.9)]).toEqual([
      expect.closeTo(0.4375, 12),
      expect.closeTo(0.505833, 6),
      expect.closeTo(0.35, 12),
    ]);
  });

  it("probability of improvement, by task and overall", () => {
    const byTask = s.map((scores, task) => probabilityOfImprovement([scores], [t[task] ?? []]));
    expect(byTask).toEqual([0.78125, 0.6875, 0.84375]);
    expect(probabilityOfImprovement(s, t)).toBeCloseTo(0.770833, 6);
  });

  it("performance profiles, strictly above", () => {
    const thresholds = [0.25, 0.5, 0.75];
    expect(performanceProfile(s, thresholds)).toEqual([0.75, 7 / 12, 1 / 3]);
  });

  it("stratified bootstrap of 50,000 resamples", () => {
    const options = { seed: 1, numResamples: 50_000 };
    const iqm = bootstrap(s, pooledInterquartileMean, options);
    expectInterval(iqm.interval, [0.4333, 0.6333]);
    expect(iqm.standardError).toBeCloseTo(0.0521, 3);
    expectInterval(bootstrap(s, meanOverTasks, options).interval, [0.475, 0.6292]);
    expectInterval(bootstrapImprovement(s, t, { seed: 1, numResamples: 20_000 }).interval, [0.5417, 0.9583], 0.011);
  });
});

it("agrees with rliable's own test", () => {
  const x: Scores = [
    [1, 2, 1, 2],
    [2, 2, 1, 1],
  ];
  const y: Scores = [
    [1, 2, 3],
    [1, 2, 3],
  ];
  expect([pooledInterquartileMean(x), pooledInterquartileMean(y)]).toEqual([1.5, 2]);
  expect(probabilityOfImprovement(x, y)).toBeCloseTo(1 / 3, 12);
});

describe("against rliable, whose bootstrap draws other numbers", () => {
  it.each(fixtures.pooled.map((pooled, i) => [i, pooled] as const))("set %i", (_, pooled) => {
    const { x, y, aggregates, improvement, thresholds, profile } = pooled;
    const ours = {
      iqm: pooledInterquartileMean,
      mean: meanOverTasks,
      median: medianOverTasks,
      optimalityGap: (scores: Scores) => pooledOptimalityGap(scores),
    };
    expect(Object.keys(ours)).toEqual(Object.keys(aggregates));
    for (const [name, statistic] of Object.entries(ours)) {
      const [estimate = NaN, low = NaN, high = NaN] = aggregates[name] ?? [];
      const result = bootstrap(x, statistic, { seed: 2, numResamples: 8000 });
      expect(result.estimate).toBeCloseTo(estimate, 12);
      // Means of these scores are multiples of 1/120, so a sampled quantile may be one multiple away from the expected
      // one.
      expectInterval(result.interval, [low, high], 0.0084);
    }
    const [estimate = NaN, low = NaN, high = NaN] = improvement;
    const better = bootstrapImprovement(x, y, { seed: 2, numResamples: 4000 });
    expect(better.estimate).toBeCloseTo(estimate, 12);
    expectInterval(better.interval, [low, high], 0.012);
    expect(performanceProfile(x, thresholds)).toEqual(profile.map((share) => expect.closeTo(share, 12)));
  });
});

describe("bootstrap", () => {
  it("visits all 27 resamples of three values", () => {
    const { draws, numResamples } = resample([[1, 2, 6]], {});
    const means = Array.from(draws, ([drawn = []]) => mean(drawn));
    expect([means.length, numResamples]).toEqual([27, 27]);
    const unique = [...new Set(means.map((x) => x.toFixed(4)))].map(Number).sort((a, b) => a - b);
    expect(unique).toEqual([1, 1.3333, 1.6667, 2, 2.6667, 3, 3.3333, 4.3333, 4.6667, 6]);
    expectInterval(percentileInterval(means, 0.95), [1.21667, 5.13333], 5e-6);
  });

  it("gives of so few resamples the interval that many sampled ones come to", () => {
    const ofMean = ([drawn = []]: readonly (readonly number[])[]) => mean(drawn);
    expect(bootstrap([[1, 2, 6]], ofMean)).toMatchObject({ method: "exact", interval: { low: 1, high: 6 } });
    const values = [1, 2, 6, 7, 9];
    const [exact, drawn] = [3125, 3124].map((numResamples) => bootstrap([values], ofMean, { numResamples }));
    expect([exact?.method, drawn?.method]).toEqual(["exact", "sampled"]);
    expectInterval(
      drawn?.interval ?? { low: NaN, high: NaN },
      [exact?.interval.low ?? NaN, exact?.interval.high ?? NaN],
      0.21,
    );
    expect(Math.abs((drawn?.standardError ?? NaN) / (exact?.standardError ?? NaN) - 1)).toBeLessThan(0.05);
  });

  it("repeats with the seed, and not with another", () => {
    const run = (seed: number) => bootstrap(s, meanOverTasks, { seed, numResamples: 500 }).standardError;
    expect(run(1)).toBe(run(1));
    expect(run(1)).not.toBe(run(2));
  });

  it("does not mind the order of seeds, but for the noise of its draws", () => {
    const shuffled = s.map((scores) => scores.toReversed());
    const [a, b] = [s, shuffled].map((scores) => bootstrap(scores, meanOverTasks, { numResamples: 20_000 }));
    expect(b?.estimate).toBeCloseTo(a?.estimate ?? NaN, 12);
    expectInterval(b?.interval ?? { low: NaN, high: NaN }, [a?.interval.low ?? NaN, a?.interval.high ?? NaN], 0.004);
  });

  it("draws whole rows of scores where one run yields all tasks", () => {
    const rows = [0, 1, 2, 3].map((seed) => s.map((scores) => scores[seed] ?? NaN));
    const result = bootstrap([rows], ([drawn = []]) => mean(drawn.map((row) => mean(row))));
    expect(result.method).toBe("exact");
    expect(result.estimate).toBeCloseTo(0.5625, 12);
  });
});

describe("coverage of nominal 95 % intervals of a mean of normal values", () => {
  const z = 1.959964;
  const covers = ({ low, high }: { low: number; high: number }) => low <= 0 && 0 <= high;
  const simulate = (n: number, numTrials: number, numResamples: number) => {
    const rng = split("coverage", n);
    const counts = [0, 0, 0];
    for (let trial = 0; trial < numTrials; trial++) {
      const values = Array.from({ length: n }, () => rng.normal());
      const { mean: centre, halfWidth } = meanInterval(values);
      const normal = (z * std(values)) / Math.sqrt(n);
      const percentile = bootstrap([values], ([drawn = []]) => mean(drawn), { seed: trial, numResamples }).interval;
      const intervals = [
        percentile,
        { low: centre - halfWidth, high: centre + halfWidth },
        { low: centre - normal, high: centre + normal },
      ];
      for (const [i, interval] of intervals.entries()) counts[i] = (counts[i] ?? 0) + (covers(interval) ? 1 : 0);
    }
    return counts.map((count) => count / numTrials);
  };

  // Standard errors of the three simulated fractions are at most .007, .013 and .013.
  it.each([
    [3, 4000, [0.751, 0.95, 0.812], 0.021],
    [5, 800, [0.849, 0.952, 0.881], 0.04],
    [10, 800, [0.909, 0.957, 0.929], 0.04],
  ])("with %i seeds: percentile bootstrap, t, normal", (n, numTrials, expected, tolerance) => {
    const shares = simulate(n, numTrials, 400);
    for (const [i, share] of shares.entries()) expect(Math.abs(share - (expected[i] ?? NaN))).toBeLessThan(tolerance);
  });
});

it("shows in the lower tail the two collapsed seeds of ten that the interquartile mean hides", () => {
  const values = [0.1, 0.2, 0.83, 0.84, 0.85, 0.86, 0.87, 0.88, 0.9, 0.91];
  expect(interquartileMean(values)).toBeCloseTo(0.855, 12);
  expect(median(values)).toBeCloseTo(0.855, 12);
  expect(mean(values)).toBeCloseTo(0.724, 12);
  expect(lowerTailMean(values, 0.2)).toBeCloseTo(0.15, 12);
});

it("counts the last value of a lower tail in part", () => {
  expect(lowerTailMean([1, 2, 3, 4, 5, 6, 7], 0.2)).toBeCloseTo((1 + 0.4 * 2) / 1.4, 12);
  expect(lowerTailMean([5, 3, 4], 0.2)).toBe(3);
  expect(lowerTailMean([])).toBeNaN();
});

it("has quantiles between the values", () => {
  expect([quantile([3, 1, 2], 0.5), quantile([1, 2], 0.25), quantile([], 0.5)]).toEqual([2, 1.25, NaN]);
});

function expectInterval(
  actual: { low: number; high: number },
  [low, high]: [number, number],
  tolerance = 0.0051,
): void {
  expect(Math.abs(actual.low - low)).toBeLessThan(tolerance);
  expect(Math.abs(actual.high - high)).toBeLessThan(tolerance);
}
