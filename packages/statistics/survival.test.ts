import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { nominalLevel, sequentialP } from "./groupSequential.ts";
import { compareSurvival, logRankTest } from "./logRank.ts";
import { kaplanMeier, medianSurvival, prepareRestrictedMean, restrictedMean, type Duration } from "./survival.ts";
import { fixtures } from "./testing/fixtures.ts";

const samples = fixtures.survival.samples.map(({ time, isEvent }) =>
  time.map((t, i): Duration => ({ time: t, isEvent: isEvent[i] ?? false })),
);

describe("restricted mean survival", () => {
  it("of 12, 20 and one unfinished at 50 is 27.333", () => {
    const durations = [12, 20].map((time): Duration => ({ time, isEvent: true }));
    expect(restrictedMean([...durations, { time: 50, isEvent: false }], 50).value).toBeCloseTo(27.333, 3);
  });

  it("is the horizon where nothing happens", () => {
    expect(restrictedMean([{ time: 80, isEvent: false }], 50)).toMatchObject({ value: 50, standardError: 0 });
  });
});

it("keeps the interval of a restricted mean within 0 and its horizon", () => {
  for (const [early, late] of [
    [1, 50],
    [44, 50],
  ] as const) {
    const some = [early, late, late].map((time, i): Duration => ({ time, isEvent: i === 0 || early === 1 }));
    const { interval, standardError, value } = restrictedMean(some, 50);
    expect(interval.low).toBeGreaterThanOrEqual(0);
    expect(interval.high).toBeLessThanOrEqual(50);
    expect(interval.low <= value && value <= interval.high).toBe(true);
    expect(value + 1.96 * standardError).toBeGreaterThan(interval.high);
  }
});

describe("a prepared restricted mean", () => {
  it.each(samples.map((durations, i) => [i, durations] as const))("of set %i is the same number", (_, durations) => {
    for (const horizon of [1, 10, 40, 1000]) {
      const meanOf = prepareRestrictedMean(durations, horizon);
      for (const some of [durations, durations.slice(3), [...durations, ...durations.slice(0, 5)]]) {
        expect(meanOf(some)).toBe(restrictedMean(some, horizon).value);
      }
    }
  });
});

describe("Kaplan–Meier", () => {
  it.each(fixtures.survival.samples.map((sample, i) => [sample.time.length, i, sample] as const))(
    "%i runs, set %i, as lifelines has it",
    (_, i, expected) => {
      const durations = samples[i] ?? [];
      const curve = kaplanMeier(durations);
      expect(curve.map(({ time }) => time)).toEqual(expected.at);
      for (const [place, { survival, interval, numEvents }] of curve.entries()) {
        expect(survival).toBeCloseTo(expected.survival[place] ?? NaN, 12);
        // If survival is 1 or 0, lifelines returns this value as both limits, and the test skips it.
        if (survival === 1 || survival === 0 || numEvents === 0) continue;
        expect(interval.low).toBeCloseTo(expected.low[place] ?? NaN, 10);
        expect(interval.high).toBeCloseTo(expected.high[place] ?? NaN, 10);
      }
      const [horizon = NaN, value = NaN] = expected.restricted;
      expect(restrictedMean(durations, horizon).value).toBeCloseTo(value, 9);
    },
  );

  it("counts unfinished runs until they leave, and no longer", () => {
    const curve = kaplanMeier([
      { time: 10, isEvent: false },
      { time: 10, isEvent: true },
      { time: 20, isEvent: true },
      { time: 30, isEvent: false },
    ]);
    expect(curve).toMatchObject([
      { time: 10, numAtRisk: 4, numEvents: 1, numCensored: 1, survival: 0.75 },
      { time: 20, numAtRisk: 2, numEvents: 1, survival: 0.375 },
      { time: 30, numAtRisk: 1, numEvents: 0, numCensored: 1, survival: 0.375 },
    ]);
    expect([medianSurvival(curve), medianSurvival(curve.slice(0, 1))]).toEqual([20, undefined]);
  });

  it("is empty for no runs", () => expect(kaplanMeier([])).toEqual([]));
});

describe("log-rank", () => {
  it.each(fixtures.survival.logRanks)("sets %i and %i as lifelines and SciPy have it", (a, b, chiSquare, p) => {
    const test = logRankTest([{ x: samples[a ?? NaN] ?? [], y: samples[b ?? NaN] ?? [] }]);
    expect(test.chiSquare).toBeCloseTo(chiSquare ?? NaN, 10);
    if (test.method === "chiSquare") expect(test.p).toBeCloseTo(p ?? NaN, 10);
  });

  it.each(fixtures.survival.stratified)(
    "$numEvents events: over strata as statsmodels has it, and over all dealings where they are few",
    ({ strata, chiSquare, p, numEvents }) => {
      const test = logRankTest(strata.map(toStratum));
      expect(test.chiSquare).toBeCloseTo(chiSquare, 10);
      expect(test.p).toBeCloseTo(p, 10);
      expect([test.numEvents, test.method]).toEqual([numEvents, numEvents < 10 ? "exact" : "chiSquare"]);
    },
  );

  it("draws dealings where there are too many, and comes to the same p", () => {
    // A stratum without events does not change p, but has so many arrangements that they must be sampled.
    const calm = (n: number) => Array.from({ length: n }, (): Duration => ({ time: 80, isEvent: false }));
    const few = { x: [5, 6, 7].map((time): Duration => ({ time, isEvent: true })), y: calm(3) };
    const drawn = logRankTest([few, { x: calm(10), y: calm(10) }]);
    expect(drawn.method).toBe("sampled");
    expect(Math.abs(drawn.p - logRankTest([few]).p)).toBeLessThan(0.005);
    expect(logRankTest([few]).p).toBeCloseTo(0.1, 12);
  });

  it("is symmetric, and has nothing to say where nothing happened", () => {
    const [x = [], y = []] = samples;
    expect(logRankTest([{ x, y }]).p).toBeCloseTo(logRankTest([{ x: y, y: x }]).p, 12);
    const unfinished: Duration[] = [{ time: 5, isEvent: false }];
    expect(logRankTest([{ x: unfinished, y: unfinished }]).p).toBeNaN();
    expect(logRankTest([]).p).toBeNaN();
  });

  it("corrects comparisons with one baseline by Holm", () => {
    const [baseline = [], ...others] = samples;
    const tests = compareSurvival(others.map((x) => [{ x, y: baseline }]));
    expect(tests).toHaveLength(4);
    for (const { p, correctedP } of tests) expect(correctedP).toBeGreaterThanOrEqual(p);
    const looked = compareSurvival(
      others.map((x) => [{ x, y: baseline }]),
      others.map(() => [3, 5]),
    );
    expect(looked.map(({ p }) => p)).toEqual(tests.map(({ p }) => sequentialP(p, [3, 5])));
  });
});

it("finds a difference of equal hazards with four looks no oftener than one test at the end", () => {
  const rng = split(11, "looks");
  const draw = (): Duration => {
    const time = Math.ceil(-40 * Math.log(1 - rng.next()));
    return { time: Math.min(time, 80), isEvent: time < 80 };
  };
  const numbers = [10, 15, 20, 25];
  const level = numbers.map((_, i) => nominalLevel(0.05, numbers.slice(0, i + 1)));
  const rejects = (levels: readonly number[]) => (sides: readonly Duration[][]) =>
    numbers.some((n, i) => {
      const [x = [], y = []] = sides.map((runs) => runs.slice(0, n));
      return logRankTest([{ x, y }]).p < (levels[i] ?? 0);
    });
  const studies = Array.from({ length: 1000 }, () => [0, 1].map(() => Array.from({ length: 25 }, draw)));
  const once = studies.filter(rejects([0, 0, 0, 0.05])).length;
  expect(once).toBeLessThan(75);
  expect(studies.filter(rejects([0.025, ...level.slice(1)])).length).toBeLessThanOrEqual(once + 5);
  expect(studies.filter(rejects(numbers.map(() => 0.05))).length).toBeGreaterThan(1.8 * once);
});

function toStratum({ time, isEvent, numOfX }: (typeof fixtures.survival.stratified)[number]["strata"][number]) {
  const durations = time.map((t, i): Duration => ({ time: t, isEvent: isEvent[i] ?? false }));
  return { x: durations.slice(0, numOfX), y: durations.slice(numOfX) };
}
