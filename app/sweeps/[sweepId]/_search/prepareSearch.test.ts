import { expect, it } from "vitest";
import type { ShownConfiguration, ShownTrial } from "#server/api/plan/searches.ts";
import { prepareFront } from "./SearchView.tsx";
import { describeSize, readSize } from "./SearchSize.tsx";
import {
  describeBudget,
  describeSaved,
  describeTrials,
  nameTied,
  prepareBest,
  prepareRungs,
  prepareTrials,
} from "./prepareSearch.ts";

const trial = (number: number, rest: Partial<ShownTrial>): ShownTrial => ({
  number,
  point: { rate: 0.001, epochs: number },
  cellId: number,
  state: "whole",
  value: 0.5,
  values: [rest.value === undefined ? 0.5 : rest.value],
  violation: null,
  iteration: null,
  isControl: false,
  reason: "drawn at random",
  reached: [],
  ...rest,
});

const configuration: Pick<ShownConfiguration, "trials" | "tied" | "schedule"> = {
  tied: [2],
  schedule: { of: "seeds", rungs: [1, 3], selection: { kind: "asha", factor: 3 } },
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
      reached: [{ rung: 0, value: 0.1, verdict: "letGoOn", reason: "3 of 3" }],
    }),
    trial(3, { value: null, state: "collapsed", iteration: 7 }),
  ],
};

const objectives = [{ metric: "policy/entropy", goal: "maximize" }] as const;
const columns = (...paths: string[]) => ({ parameters: paths.map((path) => ({ path, title: path })), objectives });

it("writes a trial's settings, state and reasons", () => {
  expect(prepareTrials(configuration, columns("epochs", "rate", "absent"))[2]).toEqual({
    number: 2,
    cellId: 2,
    isBest: true,
    settings: ["2", "1e-3", "–"],
    state: "full budget, as control",
    values: ["0.6"],
    reasons: ["drawn at random", "3 of 3"],
  });
  const rates = { ...columns(), objectives: [{ metric: "evaluation/successRate", goal: "maximize" }] as const };
  expect(prepareTrials(configuration, rates)[2]?.values).toEqual(["60.0 %"]);
  expect(prepareTrials(configuration, columns())[3]).toMatchObject({
    state: "collapsed by iteration 7",
    values: ["–"],
  });
});

it("names trials that tie", () => {
  expect([nameTied([3]), nameTied([3, 7]), nameTied([3, 7, 9])]).toEqual(["3", "3 and 7 tie", "3, 7 and 9 tie"]);
  expect(prepareTrials({ ...configuration, tied: [0, 2] }, columns()).map(({ isBest }) => isBest)).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

it("counts what became of trials at each rung", () => {
  expect(prepareRungs(configuration)).toEqual([
    { asked: "1 seed", numReached: 3, numPromoted: 1, numStopped: 1, numControls: 1, numOpen: 0 },
    { asked: "3 seeds", numReached: 1, numPromoted: 0, numStopped: 0, numControls: 0, numOpen: 1 },
  ]);
});

it("leads with trials alone that trained their full budget", () => {
  expect(prepareBest(configuration, "maximize").map(({ best }) => best)).toEqual([0.4, 0.4, 0.6]);
  expect(prepareBest(configuration, "minimize").map(({ best }) => best)).toEqual([0.4, 0.4, 0.4]);
});

it("says what was saved and how often a stop was wrong", () => {
  const account = {
    numStopped: 9,
    numControls: 2,
    usedIterations: 40,
    savedIterations: 60,
    savedMs: 5_400_000,
    numJudged: 2,
    numWrong: 1,
    wrong: { low: 0.09, high: 0.91 },
  };
  expect(describeSaved({ account, configurations: [] })).toBe(
    "9 trials stopped, 60 iterations (60 %) and 1.5 slot-hours saved. 2 stopped trials kept training as controls. 1 of 2 finished controls beat the best trial: stopping them would have been wrong (95 % CI 9 to 91 %).",
  );
  expect(describeSaved({ account: null, configurations: [] })).toBe("Every trial trains its full budget.");
});

it("says how many trials there are of how many, and what of a budget is used", () => {
  const { trials } = configuration;
  expect(describeTrials({ trials, maxTrials: 9, limit: null })).toBe("4 of 9 started");
  expect(describeTrials({ trials, maxTrials: 4, limit: { kind: "ended", reason: "the budget is spent" } })).toBe(
    "4 of 4 started. No further trial starts: the budget is spent.",
  );
  const used = { runs: 4, iterations: 30, hours: 0.123 };
  expect(describeBudget({ budget: null, used })).toBeUndefined();
  expect(describeBudget({ budget: { runs: 10, hours: 2 }, used })).toBe("Budget: 4 of 10 runs, 0.12 of 2 slot-hours.");
});

it("places trials by two objectives, and reads the number of trials that was typed", () => {
  const trials = [trial(0, { values: [0.5, 0.1] }), trial(1, { values: [0.4, null] }), trial(2, { values: [0.2, 0] })];
  expect(prepareFront({ trials }, { numbers: [2] })).toEqual([
    { number: 0, x: 0.5, y: 0.1, isBest: false },
    { number: 2, x: 0.2, y: 0, isBest: true },
  ]);
  expect(readSize(" ")).toEqual({});
  expect(readSize("12")).toEqual({ trials: 12 });
  expect(readSize("1.5")).toEqual({ problem: '"1.5" is not a whole number from 1 to 5,000 trials' });
  const configurations = [{ ...Object(configuration), trials }] as ShownConfiguration[];
  expect([describeSize({ configurations }, 5), describeSize({ configurations }, 2)]).toEqual([
    "2 more trials will start",
    "No further trial starts, but running trials finish",
  ]);
});
