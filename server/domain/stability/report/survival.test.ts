import { describe, expect, it } from "vitest";
import { reportSurvival, type WatchedRun } from "./survival.ts";

const run = (group: string, time: number, isEvent: boolean, watched = time): WatchedRun => {
  return { runId: `${group}${time}`, group, duration: { time, isEvent }, watched, hours: 2 };
};

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
    // (40 + 60 + 100) / 3: nothing is censored before the horizon.
    expect(groups[0]?.restrictedMean.value).toBeCloseTo(200 / 3, 10);
    expect(groups[1]?.restrictedMean.value).toBe(100);
  });

  it("adds up the hours behind a collapse", () => {
    expect(groups[0]?.hours).toBe(6);
    expect(groups[0]?.wastedHours).toBeCloseTo(2 * 0.6 + 2 * 0.4, 10);
  });

  it("tests all others against the baseline, and the baseline not", () => {
    expect(groups[0]?.test).toBeUndefined();
    expect(groups[1]?.test?.correctedP).toBeGreaterThan(0.05);
  });

  it("says nothing of nothing", () => {
    expect(reportSurvival([], undefined)).toEqual({ groups: [], baseline: null, horizon: 0 });
  });
});
