import { expect, it } from "vitest";
import type { ShownArm, ShownTrial } from "#server/api/reports/searches.ts";
import { describeSaved, prepareBest, prepareRungs, prepareTrials } from "./prepareSearch.ts";

const trial = (number: number, rest: Partial<ShownTrial>): ShownTrial => ({
  number,
  point: { rate: 0.001, epochs: number },
  cellId: number,
  state: "whole",
  value: 0.5,
  iteration: null,
  isControl: false,
  reason: "drawn at random",
  reached: [],
  ...rest,
});

const arm: Pick<ShownArm, "trials" | "best" | "ladder"> = {
  best: 2,
  ladder: { of: "seeds", rungs: [1, 3], selection: { kind: "asha", factor: 3 } },
  trials: [
    trial(0, {
      value: 0.4,
      reached: [
        { rung: 0, value: 0.4, verdict: "promoted", reason: "1 of 3 at rung 1" },
        { rung: 1, value: 0.4, verdict: null, reason: null },
      ],
    }),
    trial(1, {
      value: 0.9,
      state: "stopped",
      reached: [{ rung: 0, value: 0.9, verdict: "stopped", reason: "2 of 3" }],
    }),
    trial(2, {
      value: 0.6,
      isControl: true,
      reached: [{ rung: 0, value: 0.1, verdict: "letGoOn", reason: "3 of 3; goes on as control" }],
    }),
    trial(3, { value: null, state: "collapsed", iteration: 7 }),
  ],
};

it("writes a trial's settings, state and reasons", () => {
  expect(prepareTrials(arm, ["epochs", "rate", "absent"])[2]).toEqual({
    number: 2,
    cellId: 2,
    isBest: true,
    settings: ["2", "1e-3", "–"],
    state: "trained whole, as control",
    value: "0.6",
    reasons: ["drawn at random", "3 of 3; goes on as control"],
  });
  expect(prepareTrials(arm, [])[3]).toMatchObject({ state: "collapsed by iteration 7", value: "–" });
});

it("counts what became of trials at each rung", () => {
  expect(prepareRungs(arm)).toEqual([
    { asked: "1 seed", numReached: 3, numPromoted: 1, numStopped: 1, numLetGoOn: 1 },
    { asked: "3 seeds", numReached: 1, numPromoted: 0, numStopped: 0, numLetGoOn: 0 },
  ]);
});

it("leads with trials alone that were trained whole", () => {
  expect(prepareBest(arm, "maximize").map(({ best }) => best)).toEqual([0.4, 0.4, 0.6]);
  expect(prepareBest(arm, "minimize").map(({ best }) => best)).toEqual([0.4, 0.4, 0.4]);
});

it("says what was saved and how often a stop was wrong", () => {
  const account = {
    numStopped: 9,
    numLetGoOn: 2,
    usedIterations: 40,
    savedIterations: 60,
    savedMs: 5_400_000,
    numJudged: 2,
    numWrong: 1,
    wrong: { low: 0.09, high: 0.91 },
  };
  expect(describeSaved({ account, arms: [] })).toBe(
    "9 trials stopped, 60 iterations (60 %) and 1.5 slot-hours saved. 2 went on as control: 1 of 2 that are through ended better than the best, a wrong stop, 95 % 9 to 91 %.",
  );
  expect(describeSaved({ account: null, arms: [] })).toBe("Every trial is trained whole.");
});
