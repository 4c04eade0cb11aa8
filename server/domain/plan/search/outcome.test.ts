import { describe, expect, it } from "vitest";
import type { Aims, Objective } from "./objective.ts";
import { judgeTrial, type TrialRun } from "./outcome.ts";

const success: Objective = { metric: "rollout/successRate", goal: "maximize" };
const aims = (parts: Partial<Aims> = {}): Aims => ({ objectives: [success], constraints: [], ...parts });

/** Makes a run of ten iterations whose last fifth has these two values. */
const run = (last: [number, number], rest: Partial<TrialRun> = {}): TrialRun => ({
  end: "completed",
  iteration: 10,
  curves: {
    "rollout/successRate": [...Array.from({ length: 8 }, () => 0), ...last].map((value, i) => ({
      iteration: i + 1,
      value,
    })),
  },
  ...rest,
});

describe("judgeTrial", () => {
  it("takes the mean over runs of what each comes to in its last fifth, and how that varies", () => {
    const outcome = judgeTrial([run([0.4, 0.6]), run([0.9, 0.9])], aims());
    expect(outcome).toEqual({ kind: "measured", losses: [expect.closeTo(-0.7)], spread: expect.closeTo(0.0707107) });
  });

  it("leaves lost runs out, and is lost where nothing was measured", () => {
    const lost = run([0, 0], { end: "lost" });
    expect(judgeTrial([lost, run([0.5, 0.5])], aims())).toMatchObject({ losses: [-0.5] });
    expect(judgeTrial([lost], aims())).toEqual({ kind: "lost" });
    expect(judgeTrial([run([0, 0], { curves: {} })], aims())).toEqual({ kind: "lost" });
  });

  it("censors a trial of which a run collapsed, at the mean iteration of its runs", () => {
    const collapsed = run([0.1, 0.1], { end: "collapsed", iteration: 4 });
    expect(judgeTrial([collapsed, run([0.5, 0.5])], aims())).toEqual({ kind: "collapsed", iteration: 7 });
    expect(judgeTrial([run([0.5, NaN])], aims())).toEqual({ kind: "collapsed", iteration: 10 });
  });

  it("counts the share of collapsed runs where that is an objective, and those runs with what they came to", () => {
    const both = aims({ objectives: [success, { metric: "collapsed", goal: "minimize" }] });
    const collapsed = run([0.1, 0.1], { end: "collapsed", iteration: 10 });
    expect(judgeTrial([collapsed, run([0.5, 0.5]), run([0.6, 0.6])], both)).toMatchObject({
      kind: "measured",
      losses: [expect.closeTo(-0.4), expect.closeTo(1 / 3)],
    });
    expect(judgeTrial([run([0.5, 0.5])], both)).toMatchObject({ losses: [-0.5, 0] });
  });

  it("says how far constraints are missed, and that what was never logged misses them", () => {
    const atLeast = { metric: "rollout/successRate", atLeast: 0.7 } as const;
    const violationOf = (constraints: Aims["constraints"]) =>
      Object(judgeTrial([run([0.5, 0.5])], aims({ constraints }))).violation as number;
    expect(violationOf([atLeast])).toBeCloseTo(0.2);
    expect(violationOf([{ metric: "rollout/successRate", atMost: 0.4 }, atLeast])).toBeCloseTo(0.3);
    expect(violationOf([{ metric: "rollout/successRate", atMost: 0.6 }])).toBe(0);
    expect(violationOf([{ metric: "policy/entropy", atMost: 1 }])).toBe(Number.MAX_VALUE);
  });
});
