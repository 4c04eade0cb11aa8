import { describe, expect, it } from "vitest";
import { pairedTTest, sequentialP, testEquivalence } from "#packages/statistics";
import { reportEquivalence } from "./equivalence.ts";
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

  it("has interval and p from the same test over pairs, as the test of equivalence has", () => {
    // Three settings of three pairs, whose differences vary within and between settings.
    const gains = [0.02, 0.05, 0.03, 0.11, 0.08, 0.12, 0.2, 0.15, 0.18];
    const study = gains.flatMap((gain, i) =>
      ["GRPO", "GSPO"].map((group) => ({
        ...run(group, 100, false),
        stratum: `lag ${i % 3}`,
        seed: i,
        success: group === "GSPO" ? 0.4 + gain : 0.4,
      })),
    );
    const effect = reportSurvival(study, "GRPO").groups[1]?.against?.success;
    const x = gains.map((gain) => 0.4 + gain);
    const test = pairedTTest(
      x,
      gains.map(() => 0.4),
    );
    expect(effect?.interval.low).toBeCloseTo(test.interval.low, 12);
    expect(effect?.interval.high).toBeCloseTo(test.interval.high, 12);
    expect(effect?.p).toBeCloseTo(test.p, 12);
    const { interval } = testEquivalence(
      x,
      gains.map(() => 0.4),
      { margin: 0.05 },
    );
    expect(interval.low).toBeGreaterThan(effect?.interval.low ?? NaN);
    expect(interval.high).toBeLessThan(effect?.interval.high ?? NaN);
  });

  it("allows for a look at two pairs, which paired tests permit", () => {
    const studied = (addedAt: Date | null) =>
      ["GRPO", "GSPO"].flatMap((group, side) =>
        [0, 1, 2, 3, 4].map((seed) => ({
          ...run(group, 10 + 10 * seed + side * (2 + seed), true, 100),
          seed,
          success: 0.5 + side * (0.01 + 0.002 * seed),
          drawn: { addedAt: seed > 1 ? addedAt : null, startedAt: new Date("2026-01-01") },
        })),
      );
    const [plain, looked] = [null, new Date("2026-01-02")].map((addedAt) => {
      const against = reportSurvival(studied(addedAt), "GRPO").groups[1]?.against;
      const equivalence = reportEquivalence(studied(addedAt), "GRPO")[0]?.test;
      return [against?.success.p, against?.restrictedMean.p, 2 * (equivalence?.p ?? NaN)];
    });
    // Two of five pairs.
    for (const [i, p] of (plain ?? []).entries()) {
      expect(looked?.[i] ?? NaN).toBeCloseTo(sequentialP(p ?? NaN, [1, 2.5]), 12);
      expect(looked?.[i] ?? NaN).toBeGreaterThan(1.2 * (p ?? NaN));
    }
  });

  it("allows for looks before seeds were added, in its tests and in those of equivalence", () => {
    const [planned, added] = [null, new Date("2026-01-02")];
    const studied = (isLooked: boolean) =>
      ["GRPO", "GSPO"].flatMap((group, side) =>
        [10, 20, 30, 40, 50, 60].map((time, seed) => ({
          ...run(group, time + 25 * side + 3 * side * (seed % 2), true, 100),
          seed,
          success: 0.5 + seed / 50 + side * (0.01 + 0.01 * (seed % 2)),
          drawn: { addedAt: isLooked && seed > 2 ? added : planned, startedAt: new Date("2026-01-01") },
        })),
      );
    const [before, after] = [false, true].map(
      (isLooked) => reportSurvival(studied(isLooked), "GRPO").groups[1]?.against,
    );
    expect(after?.test.p).toBeCloseTo(sequentialP(before?.test.p ?? NaN, [3, 6]), 12);
    expect(after?.success.p).toBeCloseTo(sequentialP(before?.success.p ?? NaN, [3, 6]), 12);
    expect(after?.restrictedMean.interval.low).toBeLessThan(before?.restrictedMean.interval.low ?? NaN);
    const [plain, looked] = [false, true].map((isLooked) => reportEquivalence(studied(isLooked), "GRPO")[0]?.test);
    expect(looked?.interval.low).toBeLessThan(plain?.interval.low ?? NaN);
    expect(looked?.p).toBeGreaterThan(plain?.p ?? NaN);
  });

  it("has no interval and no test while runs are still being judged", () => {
    const unknown = { low: NaN, high: NaN };
    const open = reportSurvival(runs, "GRPO", { numAwaited: 3 });
    expect(open).toMatchObject({ numAwaited: 3 });
    expect(open.groups[1]).toMatchObject({
      numCollapsed: 0,
      rateInterval: unknown,
      restrictedMean: { value: 100, interval: unknown },
      against: { test: { p: NaN, correctedP: NaN }, restrictedMean: { interval: unknown, p: NaN } },
    });
  });

  it("takes no pair where a seed stands for several runs of one side", () => {
    const runs = [run("a", 40, true), run("a", 40, true), { ...run("b", 50, true), seed: 40 }];
    const { groups } = reportSurvival(runs, "a");
    expect(groups[1]?.against?.restrictedMean.numPairs).toBe(0);
    expect(groups[1]?.against?.test.numEvents).toBe(3);
  });

  it("says nothing of nothing", () => {
    expect(reportSurvival([], undefined)).toEqual({ groups: [], baseline: null, horizon: 0, numAwaited: 0 });
  });
});
