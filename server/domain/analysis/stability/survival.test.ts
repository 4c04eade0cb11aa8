import { describe, expect, it } from "vitest";
import { reportSurvival, type WatchedRun } from "./survival.ts";

const run = (group: string, time: number, isEvent: boolean, watched = time): WatchedRun => ({
  runId: `${group}${time}`,
  group,
  stratum: "sokoban",
  seed: time,
  duration: { time, isEvent },
  isUnclear: false,
  success: null,
  watched,
  hours: 2,
});

describe("time to collapse by group", () => {
  const runs = [
    run("GRPO", 40, true, 100),
    run("GRPO", 100, false),
    run("GRPO", 60, true, 100),
    run("GSPO", 100, false),
    run("GSPO", 100, false),
  ];
  const { groups, baseline, horizon } = reportSurvival(runs, "GRPO");

  it("counts collapses with Wilson's interval and runs that never did until they end", () => {
    expect(baseline).toBe("GRPO");
    expect(horizon).toBe(100);
    expect(groups.map(({ group, numCollapsed, numRuns }) => [group, numCollapsed, numRuns])).toEqual([
      ["GRPO", 2, 3],
      ["GSPO", 0, 2],
    ]);
    expect(groups[1]?.rateInterval.low).toBe(0);
    expect(groups[1]?.rateInterval.high).toBeCloseTo(0.6576, 4);
  });

  it("restricts means to what every group was watched for", () => {
    // The mean is (40 + 60 + 100) / 3, since no run is censored before the horizon.
    expect(groups[0]?.restrictedMean.value).toBeCloseTo(200 / 3, 10);
    expect(groups[1]?.restrictedMean.value).toBe(100);
  });

  it("adds up the hours behind a collapse", () => {
    expect(groups[0]?.hours).toBe(6);
    expect(groups[0]?.wastedHours).toBeCloseTo(2 * 0.6 + 2 * 0.4, 10);
  });

  it("tests all others against the baseline, and the baseline not", () => {
    expect(groups[0]?.against).toBeUndefined();
    expect(groups[1]?.against?.test.correctedP).toBeGreaterThan(0.05);
  });

  it("compares within a stratum alone, and as pairs what shares its seed there", () => {
    const of = (group: string, stratum: string, [seed, time, success]: readonly [number, number, number]) => ({
      ...run(group, time, time < 100, 100),
      stratum,
      seed,
      success,
    });
    const easy = (seed: number) => [of("GRPO", "lag 0", [seed, 100, 0.7]), of("GSPO", "lag 0", [seed, 100, 0.6])];
    const hard = (seed: number) => [of("GRPO", "lag 16", [seed, 40, 0.1]), of("GSPO", "lag 16", [seed, 100, 0.5])];
    const study = [0, 1, 2, 3].flatMap((seed) => [...easy(seed), ...hard(seed)]);
    // A stratum with runs of only one group permits no comparison.
    const { groups } = reportSurvival([...study, of("GSPO", "lag 64", [0, 10, 0])], "GRPO");
    expect(groups[0]?.success?.mean).toBeCloseTo(0.4, 12);
    // All runs of a setting have the same value, so the variance within strata is 0.
    expect(groups[0]?.success?.interval.low).toBeCloseTo(0.4, 12);
    expect(groups[1]?.against).toMatchObject({
      // Two of the 70 assignments of the eight runs at lag 16 separate collapsed from other runs.
      test: { observed: 0, expected: 2, numEvents: 4, p: 2 / 70, method: "exact" },
      numStrata: 2,
      restrictedMean: { difference: 30, numPairs: 8 },
    });
    expect(groups[1]?.against?.success.difference).toBeCloseTo(0.15, 12);
  });

  it("takes no pair where a seed stands for several runs of one side", () => {
    const runs = [run("a", 40, true), run("a", 40, true), { ...run("b", 50, true), seed: 40 }];
    const { groups } = reportSurvival(runs, "a");
    expect(groups[1]?.against?.restrictedMean.numPairs).toBe(0);
    expect(groups[1]?.against?.test.numEvents).toBe(3);
  });

  it("says nothing of nothing", () => {
    expect(reportSurvival([], undefined)).toEqual({ groups: [], baseline: null, horizon: 0 });
  });
});
