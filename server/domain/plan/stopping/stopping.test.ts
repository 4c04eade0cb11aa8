import { describe, expect, it } from "vitest";
import { accountOf, decideStopping, isLetGoOn, Stopping, type StoppedRun } from "./stopping.ts";

const rule = (rest: object) => Stopping.parse({ at: "collapsed", letGoOnShare: 0, ...rest });
const run = (iteration: number, ...changes: [number, "healthy" | "unstable" | "collapsed"][]) => ({
  specHash: "a",
  seed: 0,
  iteration,
  changes: changes.map(([at, status]) => ({ iteration: at, status })),
});

describe("a sweep's rule for stopping", () => {
  it.each([
    ["healthy", {}, run(50, [10, "healthy"]), undefined],
    ["unstable is not collapsed", {}, run(50, [10, "healthy"], [20, "unstable"]), undefined],
    ["collapsed", {}, run(50, [20, "unstable"], [31, "collapsed"]), 31],
    ["unstable long enough", { at: "unstable", iterations: 5 }, run(24, [10, "healthy"], [20, "unstable"]), 24],
    ["unstable not yet long enough", { at: "unstable", iterations: 5 }, run(23, [20, "unstable"]), undefined],
    [
      "unstable twice, but never long enough in a row",
      { at: "unstable", iterations: 5 },
      run(60, [20, "unstable"], [23, "healthy"], [30, "unstable"], [33, "healthy"]),
      undefined,
    ],
    [
      "unstable, then collapsed early",
      { at: "unstable", iterations: 9 },
      run(40, [20, "unstable"], [22, "collapsed"]),
      22,
    ],
  ] as const)("%s", (_, rest, standing, iteration) => {
    expect(decideStopping(rule(rest), standing)?.iteration).toBe(iteration);
  });

  it("lets a share of runs go on, drawn by seed and by the run alone", () => {
    const half = rule({ letGoOnShare: 0.5 });
    const lots = Array.from({ length: 400 }, (_, seed) => isLetGoOn(half, { specHash: "a", seed }));
    expect(lots.filter(Boolean).length).toBeGreaterThan(160);
    expect(lots.filter(Boolean).length).toBeLessThan(240);
    expect(Array.from({ length: 400 }, (_, seed) => isLetGoOn(half, { specHash: "a", seed }))).toEqual(lots);
    const decisions = lots.map((_, seed) => decideStopping(half, { ...run(50, [30, "collapsed"]), seed })?.stop);
    expect(decisions).toEqual(lots.map((isLet) => !isLet));
  });
});

describe("what a rule saved and cost", () => {
  const one: StoppedRun = {
    stopped: true,
    iteration: 40,
    latestIteration: 42,
    budget: 100,
    slotMs: 42_000,
    collapsed: null,
  };

  it("counts what was not used, and what was spent after the rule applied", () => {
    const letGoOn = { ...one, stopped: false, latestIteration: 100, slotMs: 200_000 };
    expect(accountOf([one, { ...letGoOn, collapsed: true }, { ...letGoOn, collapsed: false }])).toEqual({
      numStopped: 1,
      numControls: 2,
      numFalse: 1,
      numJudged: 2,
      // The saved time is 58 iterations of one second each.
      savedMs: 58_000,
      // The wasted time is 2 iterations of one second and 60 of two seconds; the recovered run wasted no time.
      wastedMs: 2_000 + 120_000,
    });
  });

  it("is nothing without runs, and nothing for a run that never began", () => {
    expect(accountOf([])).toMatchObject({ numStopped: 0, savedMs: 0, wastedMs: 0 });
    expect(accountOf([{ ...one, latestIteration: 0, slotMs: 5 }])).toMatchObject({ savedMs: 0, wastedMs: 0 });
  });
});
