import { describe, expect, it } from "vitest";
import { estimateMinutes } from "./estimate.ts";
import { expandPlan } from "./expand.ts";
import { checkPlan } from "./plan.ts";

const expansion = expandPlan(
  checkPlan({
    name: "a",
    methods: ["grpo", "gspo"],
    environments: [{ id: "sokoban" }],
    base: { budget: { iterations: 60 }, initialisation: { kind: "scratch" } },
    seeds: [0, 1],
  }),
);

describe("estimateMinutes", () => {
  it("shares the work among the slots", () => {
    const one = estimateMinutes(expansion, { slots: 1, secondsPerIteration: 2 });
    expect(one).toBeCloseTo((4 * (60 * 2 + 5)) / 60);
    expect(estimateMinutes(expansion, { slots: 2, secondsPerIteration: 2 })).toBeCloseTo(one / 2);
  });

  it("is never less than the longest run", () => {
    expect(estimateMinutes(expansion, { slots: 100, secondsPerIteration: 2 })).toBeCloseTo(125 / 60);
  });

  it("counts the iterations that a split budget pays for", () => {
    const split = { units: 2560, demonstrationShare: 0.5, demonstrationCost: 10 };
    const half = expandPlan(
      checkPlan({
        name: "a",
        methods: ["grpo"],
        environments: [{ id: "sokoban" }],
        base: { budget: { split }, rollout: { numGroups: 16, groupSize: 8 } },
        seeds: [0],
      }),
    );
    // 1,280 episodes are 10 iterations; 128 demonstrations are cloned before.
    const seconds = 60 * estimateMinutes(half, { slots: 1, secondsPerIteration: 100 });
    expect(seconds).toBeGreaterThan(1005);
    expect(seconds).toBeLessThan(1200);
  });

  it("guesses from the specification when nothing was measured", () => {
    expect(estimateMinutes(expansion, { slots: 1 })).toBeGreaterThan(1);
  });
});
