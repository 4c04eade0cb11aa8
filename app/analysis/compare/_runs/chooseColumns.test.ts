import { expect, it } from "vitest";
import { chooseColumns, listIterations, listTasks, type SampledRun } from "./chooseColumns.ts";

const run = (runId: string, episodes: readonly [iteration: number, seed: number][]): SampledRun => ({
  runId,
  name: runId,
  episodes: episodes.map(([iteration, seed], line) => ({
    iteration,
    seed,
    line,
    attempt: 1,
    isSuccess: true,
    episodeReward: 1,
    score: undefined,
    taskType: undefined,
    numTurns: 3,
    numInvalid: 0,
  })),
});
const a = run("a", [
  [0, 7],
  [0, 8],
  [5, 7],
  [5, 8],
  [10, 7],
  [15, 7],
  [20, 7],
]);
const b = run("b", [
  [0, 8],
  [5, 8],
  [5, 9],
]);
const shown = (...[choice]: [Partial<Parameters<typeof chooseColumns>[1]>?]) =>
  chooseColumns([a, b], { task: undefined, iteration: undefined, over: undefined, ...choice }).map(
    ({ name, head }) => `${name} ${head.iteration} ${head.seed}`,
  );

it("opens with the task that most runs have, each run at its last", () => {
  expect(listTasks([a, b])).toEqual([8, 7, 9]);
  expect(shown()).toEqual(["a 5 8", "b 5 8"]);
});

it("takes an iteration, and leaves out a run that has no episode there", () => {
  expect(listIterations([a, b], 8)).toEqual([0, 5]);
  expect(shown({ iteration: 0 })).toEqual(["a 0 8", "b 0 8"]);
  expect(shown({ task: 9 })).toEqual(["b 5 9"]);
});

it("follows one run over its iterations, first and last among them", () => {
  expect(shown({ over: "a", task: 7 })).toEqual([
    "iteration 0 0 7",
    "iteration 5 5 7",
    "iteration 15 15 7",
    "iteration 20 20 7",
  ]);
});
