import { describe, expect, it } from "vitest";
import { type Rng, split } from "#trainer/spec/rng.ts";
import { twoLevelInterval } from "./bootstrap.ts";
import { clusteredDifference, type Pair, pairedDifference, pairedRestrictedMean } from "./pairedEffects.ts";
import { clusteredRateInterval, type Interval } from "./rates.ts";

const sizes = [2, 3, 6, 12] as const;
const list = <Value>(length: number, make: (i: number) => Value): Value[] => Array.from({ length }, (_, i) => make(i));
const binomial = (rng: Rng, n: number, rate: number): number => list(n, () => rng.next() < rate).filter(Boolean).length;

/** One simulated study: intervals that should cover `truth`, by estimator. */
type Drawn = { truth: number; intervals: Record<string, Interval> };

/** Per cent of the given intervals that cover the truth, by estimator and number of units: 2, 3, 6 and 12. */
function coverage(draw: (rng: Rng, numUnits: number) => Drawn, numStudies = 2000): Record<string, number[]> {
  const found: Record<string, number[]> = {};
  for (const numUnits of sizes) {
    const rng = split(1, "coverage", numUnits);
    const studies = list(numStudies, () => draw(rng, numUnits));
    for (const name of Object.keys(studies[0]?.intervals ?? {})) {
      const given = studies.flatMap(({ truth, intervals: { [name]: one } }) =>
        one && Number.isFinite(one.low) ? [one.low <= truth && truth <= one.high] : [],
      );
      (found[name] ??= []).push(Math.round((100 * given.filter(Boolean).length) / given.length));
    }
  }
  return found;
}

/** Pairs of success rates of four continuations; the effect differs between runs, with a mean of 0.2. */
function drawRates(rng: Rng, numRuns: number): Pair<number>[][] {
  return list(numRuns, () => {
    const [start, effect] = [0.3 + 0.1 * rng.normal(), 0.2 + 0.1 * rng.normal()];
    return list(4, () => ({ x: start + effect + 0.1 * rng.normal(), y: start + 0.1 * rng.normal() }));
  });
}

/** Pairs of collapses (1) of four continuations. Half of the runs are saved in 90 % of branches, the others in 10 %. */
function drawCollapses(rng: Rng, numRuns: number): Pair<number>[][] {
  return list(numRuns, () => {
    const rate = rng.next() < 0.5 ? 0.1 : 0.9;
    return list(4, () => ({ x: rng.next() < rate ? 1 : 0, y: rng.next() < 0.9 ? 1 : 0 }));
  });
}

describe("95 % intervals over 2, 3, 6 and 12 units", () => {
  it("cover differences of success over collapsed runs, where the bootstrap did not", { tags: "soak" }, () => {
    const found = coverage((rng, numRuns) => {
      const runs = drawRates(rng, numRuns);
      const { interval } = clusteredDifference(runs);
      return { truth: 0.2, intervals: { t: interval } };
    });
    expect(found).toEqual({ t: [95, 95, 95, 96] });
    const before = coverage((rng, numRuns) => {
      const differences = drawRates(rng, numRuns).map((pairs) => pairs.map(({ x, y }) => x - y));
      return { truth: 0.2, intervals: { bootstrap: twoLevelInterval(differences, { numResamples: 400 }) } };
    }, 1000);
    expect(before).toEqual({ bootstrap: [79, 86, 91, 95] });
  });

  it("cover differences of collapses, which are yes or no", () => {
    const found = coverage((rng, numRuns) => {
      const { interval } = clusteredDifference(drawCollapses(rng, numRuns));
      return { truth: -0.4, intervals: { t: interval } };
    });
    expect(found).toEqual({ t: [100, 91, 94, 94] });
  });

  it("cover rates of collapses over collapsed runs", { tags: "soak" }, () => {
    const found = coverage((rng, numRuns) => {
      const runs = list(numRuns, () => {
        const rate = rng.next() < 0.5 ? 0.1 : 0.6;
        return { k: binomial(rng, 5, rate), n: 5 };
      });
      return { truth: 0.35, intervals: { clustered: clusteredRateInterval(runs) } };
    });
    expect(found).toEqual({ clustered: [100, 98, 96, 96] });
  });

  it("cover differences over pairs, within one setting and within three with other effects", () => {
    const pairOf = (rng: Rng, effect: number): Pair<number> => {
      const start = 0.3 + 0.1 * rng.normal();
      return { x: start + effect + 0.1 * rng.normal(), y: start };
    };
    const alone = coverage((rng, numPairs) => {
      const pairs = list(numPairs, () => pairOf(rng, 0.2));
      return { truth: 0.2, intervals: { t: pairedDifference(pairs).interval } };
    });
    expect(alone).toEqual({ t: [95, 95, 94, 95] });
    const several = coverage((rng, numPairs) => {
      const pairs = [0.1, 0.2, 0.3].map((effect) => list(numPairs, () => pairOf(rng, effect)));
      return { truth: 0.2, intervals: { t: pairedDifference(pairs.flat()).interval } };
    });
    // Other effects of other settings widen the interval.
    expect(several).toEqual({ t: [98, 99, 99, 99] });
  });

  it("cover differences of restricted means, with a quarter of the runs censored early", () => {
    const durationOf = (rng: Rng, scale: number) => {
      const [time, end] = [-scale * Math.log(1 - rng.next()), rng.next() < 0.25 ? 30 : 60];
      return { time: Math.min(time, end), isEvent: time < end };
    };
    // Area under exp(−t / scale) up to 50.
    const meanOf = (scale: number) => scale * (1 - Math.exp(-50 / scale));
    const found = coverage((rng, numPairs) => {
      const pairs = list(numPairs, () => ({ x: durationOf(rng, 60), y: durationOf(rng, 30) }));
      return { truth: meanOf(60) - meanOf(30), intervals: { t: pairedRestrictedMean([pairs], 50).interval } };
    });
    expect(found).toEqual({ t: [93, 93, 95, 95] });
  });
});
