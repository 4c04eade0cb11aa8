import { describe, expect, it } from "vitest";
import { pairedDifference, pairedRestrictedMean } from "./pairedEffects.ts";
import type { Duration } from "./survival.ts";
import { fixtures } from "./testing/fixtures.ts";

const ended = (time: number): Duration => ({ time, isEvent: true });
const censored = (time: number): Duration => ({ time, isEvent: false });

describe("paired effects", () => {
  it.each(fixtures.survival.paired)("$x.length pairs have the BCa interval that SciPy gives", ({ x, y, interval }) => {
    const pairs = x.map((value, i) => ({ x: value, y: y[i] ?? NaN }));
    const { difference, interval: found, numPairs } = pairedDifference([pairs]);
    expect(difference).toBeCloseTo(pairs.reduce((sum, pair) => sum + pair.x - pair.y, 0) / pairs.length, 10);
    expect(numPairs).toBe(x.length);
    const [low = NaN, high = NaN] = interval;
    // Few pairs have few resamples, all enumerated; with many pairs they are sampled.
    const tolerance = x.length < 6 ? 1e-9 : 0.03 * (high - low);
    expect(Math.abs(found.low - low)).toBeLessThan(tolerance);
    expect(Math.abs(found.high - high)).toBeLessThan(tolerance);
  });

  it("weighs strata by their pairs, and resamples each by itself", () => {
    const some = [1, 1, 1].map((x) => ({ x, y: 0 }));
    const { difference, interval, numPairs } = pairedDifference([some, [{ x: 5, y: 0 }], []]);
    expect([difference, numPairs]).toEqual([2, 4]);
    // Every resample of equal pairs is identical.
    expect(interval).toEqual({ low: 2, high: 2 });
  });

  it("says nothing of no pair", () => {
    expect(pairedDifference([])).toEqual({ difference: NaN, interval: { low: NaN, high: NaN }, numPairs: 0 });
  });

  it("draws resamples of unfinished runs at about the cost of finished ones", () => {
    // Thirty runs per stratum, as in the recorded study. A quantile per resample took 23 s instead of half a second.
    const strata = [0, 1, 2].map((stratum) =>
      Array.from({ length: 15 }, (_, i) => ({
        x: ended(20 + i + stratum),
        y: i % 3 === 0 ? censored(25) : ended(10 + i),
      })),
    );
    // Other threads of this process count too: the least of three.
    const timeOf = (work: () => unknown): number => {
      const times = [1, 2, 3].map(() => {
        const { user } = process.cpuUsage();
        work();
        return process.cpuUsage().user - user;
      });
      return Math.min(...times);
    };
    const finished = strata.map((pairs) => pairs.map(({ x, y }) => ({ x: x.time, y: y.time })));
    const plain = timeOf(() => pairedDifference(finished));
    expect(timeOf(() => pairedRestrictedMean(strata, 48))).toBeLessThan(20 * plain);
  });

  it("is the difference of areas under Kaplan–Meier's curves up to the horizon", () => {
    const pairs = [
      { x: ended(60), y: ended(20) },
      { x: censored(120), y: ended(40) },
      { x: ended(130), y: censored(100) },
    ];
    // Horizon 100: (60 + 100 + 100) / 3 − (20 + 40 + 100) / 3.
    expect(pairedRestrictedMean([pairs], 100).difference).toBeCloseTo(100 / 3, 10);
    // A run censored at 50 is redistributed to the remaining ones: 20/3 + (1/3) · 40 + (1/3) · ½ · …
    const left = pairs.map((pair, i) => (i === 2 ? { ...pair, y: censored(50) } : pair));
    // y: 1 until 20, ⅔ until 40, then ⅓ (last value extended): 20 + 40/3 + 20 = 53.33.
    expect(pairedRestrictedMean([left], 100).difference).toBeCloseTo(260 / 3 - (20 + 40 / 3 + 20), 10);
  });
});
