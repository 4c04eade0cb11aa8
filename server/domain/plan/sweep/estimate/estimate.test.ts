import { describe, expect, it } from "vitest";
import type { CellSpec } from "#trainer/spec/run.ts";
import { estimateMinutes, estimatePace, estimateRunSeconds, type PlannedRun } from "./estimate.ts";
import { expandPlan } from "../expand/expand.ts";
import { checkPlan } from "../plan.ts";

const expansion = expandPlan(
  checkPlan({
    name: "a",
    methods: ["grpo", "gspo"],
    environments: [{ id: "sokoban" }],
    base: { budget: { iterations: 60 }, initialisation: { kind: "scratch" } },
    seeds: [0, 1],
  }),
);

const grpo = expansion.cells[0]?.spec ?? expect.fail("no cell");
const calibration = { environment: "sokoban", size: "nano", numRuns: 5, median: 2, low: 1, high: 3 };

describe("estimateMinutes", () => {
  it("shares the work among the slots", () => {
    const one = estimateMinutes(expansion, { slots: 1 });
    expect(one).toBeCloseTo((4 * estimateRunSeconds(grpo)) / 60);
    expect(estimateMinutes(expansion, { slots: 2 })).toBeCloseTo(one / 2);
  });

  it("is never less than the longest run", () => {
    expect(estimateMinutes(expansion, { slots: 100 })).toBeCloseTo(estimateRunSeconds(grpo) / 60);
  });

  it("counts the iterations that a split budget pays for", () => {
    const split = { units: 2560, demonstrationShare: 0.5, demonstrationCost: 10 };
    const rollout = { ...grpo.rollout, numGroups: 16, groupSize: 8 };
    const seconds = (budget: CellSpec["budget"]) => estimateRunSeconds({ ...grpo, rollout, budget });
    // A budget of 1,280 episodes is 10 iterations.
    expect(seconds({ ...grpo.budget, split })).toBe(seconds({ ...grpo.budget, iterations: 10 }));
  });

  it("follows a pretrained model's size, and says nothing where that is unknown", () => {
    const pretrained = "/models/one";
    const seconds = (numParameters: number, more = {}) =>
      estimateRunSeconds({ ...grpo, policy: { ...grpo.policy, pretrained, ...more } }, { [pretrained]: numParameters });
    expect(seconds(27.7e6)).toBeGreaterThan(10 * estimateRunSeconds(grpo));
    expect(seconds(500e6) / seconds(50e6)).toBeCloseTo(10, 1);
    expect(seconds(500e6, { loraRank: 8 })).toBeLessThan(seconds(500e6));
    expect(estimateRunSeconds({ ...grpo, policy: { ...grpo.policy, pretrained } })).toBeNaN();
  });

  it("is corrected by past runs of the kind, where there are enough", () => {
    const corrected = (past: Partial<typeof calibration>) =>
      estimateMinutes(expansion, { slots: 1, calibrations: [{ ...calibration, ...past }] });
    const guess = estimateMinutes(expansion, { slots: 1 });
    expect(corrected({})).toBeCloseTo(2 * guess);
    expect(corrected({ numRuns: 4 })).toBe(guess);
    expect(corrected({ environment: "webshop" })).toBe(guess);
    expect(corrected({ size: "mini" })).toBe(guess);
  });
});

describe("estimatePace", () => {
  const cloned = expandPlan(
    checkPlan({
      name: "a",
      methods: ["grpo"],
      environments: [{ id: "sokoban" }],
      base: { budget: { iterations: 60 } },
      seeds: [0],
    }),
  ).cells[0]?.spec;
  const run = (changes: Partial<PlannedRun>): PlannedRun => ({
    spec: cloned ?? expect.fail("no cell"),
    start: "x",
    seed: 0,
    latestIteration: 0,
    state: "waiting",
    wasLive: false,
    numRecent: 0,
    recentMs: 0,
    wholeMs: null,
    ...changes,
  });
  const pace = (...runs: PlannedRun[]) => estimatePace(runs, { calibrations: [], models: {} });
  const wholeMs = 1000 * estimateRunSeconds(run({}).spec);

  it("is the whole estimate before the first iteration, with an initial policy made once", () => {
    expect(pace(run({ state: "live" }))).toEqual({ doneMs: 0, leftMs: wholeMs, speed: null });
    const shared = pace(run({ state: "live" }), run({}));
    expect(shared.leftMs).toBeLessThan(2 * wholeMs);
    expect(pace(run({}), run({ start: "y" })).leftMs).toBeCloseTo(2 * wholeMs);
    expect(pace(run({ state: "live" }), run({ state: "live" })).leftMs, "made twice at once").toBeCloseTo(wholeMs);
  });

  it("moves iterations from left to done, and leaves out those of runs that are over", () => {
    const half = pace(run({ state: "live", latestIteration: 30 }));
    expect(half.doneMs + half.leftMs).toBeCloseTo(wholeMs);
    expect(half.doneMs).toBeGreaterThan(half.leftMs);
    expect(pace(run({ state: "over", latestIteration: 30 }))).toEqual({
      doneMs: half.doneMs,
      leftMs: 0,
      speed: null,
    });
  });

  it("compares recent iterations of runs in progress with their estimate, without the initial policy's creation", () => {
    const { leftMs } = pace(run({ state: "live", latestIteration: 30 }));
    const planned = leftMs / 30;
    const live = { state: "live", latestIteration: 30 } as const;
    const slow = run({ ...live, numRecent: 5, recentMs: 15 * planned });
    expect(pace(slow, run({ ...live, numRecent: 15, recentMs: 15 * planned })).speed).toBeCloseTo(1.5);
    expect(pace(slow).speed, "too few").toBeNull();
  });

  it("counts the whole time of finished runs, with their start, and lasts at least as long as the longest rest", () => {
    const finished = run({ state: "over", latestIteration: 60, wholeMs: 3 * wholeMs });
    expect(pace(finished).speed).toBeCloseTo(3);
    const live = run({ state: "live", latestIteration: 30 });
    const { leftMs } = pace(live);
    expect(pace(finished, live, run({ state: "live", latestIteration: 59 })).leftMs).toBeCloseTo(leftMs);
  });

  it("gives each waiting run the slot that becomes free first", () => {
    const half = run({ start: null, state: "live", latestIteration: 30 });
    const waiting = run({ start: null });
    const halfMs = pace(half).leftMs;
    expect(pace(half, half, half, waiting).leftMs, "a run cannot be divided").toBeCloseTo(halfMs + wholeMs);
    expect(pace(half, waiting, waiting).leftMs, "one slot").toBeCloseTo(halfMs + 2 * wholeMs);
    const over = run({ start: null, state: "over", latestIteration: 60, wasLive: true });
    const live = { ...half, wasLive: true };
    expect(pace(over, live, waiting).leftMs, "a slot that has just become free").toBeCloseTo(wholeMs);
    expect(pace(over, half, waiting).leftMs, "a slot that was taken again").toBeCloseTo(halfMs + wholeMs);
    expect(pace({ ...over, wasLive: false }, live, waiting).leftMs, "a slot lost long ago").toBeCloseTo(
      halfMs + wholeMs,
    );
  });
});
