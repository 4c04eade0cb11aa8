import { expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { nameTasks, taskOf, withoutTask } from "./tasks.ts";

const success = "evaluation/successRate";
const cell = (environment: object, evaluation = {}): CellSpec =>
  CellSpec.parse({ environment: { id: "sokoban", ...environment }, method: methodOf("grpo"), evaluation });

it("tells tasks apart by environment, its settings and the held-out tasks", () => {
  const six = taskOf(cell({ size: 6 }), success);
  expect(taskOf(cell({ size: 6 }), success)).toBe(six);
  expect(taskOf(cell({ size: 7 }), success)).not.toBe(six);
  expect(taskOf(cell({ size: 6, numBoxes: 2 }), success)).not.toBe(six);
  expect(taskOf(cell({ size: 6 }, { numEpisodes: 64 }), success)).not.toBe(six);
  expect(taskOf(cell({ size: 6 }, { numEpisodes: 64 }), "rollout/successRate")).toBe(
    taskOf(cell({ size: 6 }), "rollout/successRate"),
  );
});

it("compares success rates of runs with different rewards, but not their rewards", () => {
  const [sparse, native] = [cell({ reward: "sparse" }), cell({ reward: "native" })];
  expect(taskOf(sparse, success)).toBe(taskOf(native, success));
  expect(taskOf(sparse, "evaluation/returnMean")).not.toBe(taskOf(native, "evaluation/returnMean"));
});

it("names tasks by what differs, and leaves that out of a configuration's label", () => {
  const specs = [cell({ size: 6 }), cell({ size: 7 }), cell({ size: 6, numBoxes: 2 })];
  expect(nameTasks(specs, success)).toEqual([
    "Sokoban, room size 6, boxes 1",
    "Sokoban, room size 7, boxes 1",
    "Sokoban, room size 6, boxes 2",
  ]);
  expect(nameTasks([cell({}), cell({ reward: "sparse" })], success)).toEqual(["Sokoban", "Sokoban"]);
  expect(nameTasks([cell({}, { numEpisodes: 64 }), cell({}, { numEpisodes: 32 })], success)).toEqual([
    "Sokoban, 64 evaluation episodes",
    "Sokoban, 32 evaluation episodes",
  ]);
  expect(withoutTask("room size 6, boxes 1, KL 0.01", "Sokoban, room size 6, boxes 1")).toBe("KL 0.01");
});
