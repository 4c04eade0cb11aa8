import { expect, it } from "vitest";
import { listCheckpoints, prepareCheckpoints } from "./prepareCheckpoints.ts";

type Kept = Parameters<typeof listCheckpoints>[0];
const kept: Kept = { runId: "a", every: 10, latestIteration: 30, isOver: true, restarts: [] };
const iterationsOf = (changes: Partial<Kept>) =>
  listCheckpoints({ ...kept, ...changes }).map(({ iteration }) => iteration);

it.each<[string, Partial<Kept>, number[]]>([
  ["a run that is over", {}, [10, 20, 30]],
  ["a live run, whose newest state may not be written yet", { isOver: false }, [10, 20]],
  ["a run that keeps none", { every: 0 }, []],
  ["a run before its first", { latestIteration: 0 }, []],
  [
    "attempts that went on from where others were stopped, or began anew",
    { restarts: [{ iteration: 26 }, { iteration: 21 }, { iteration: 1 }] },
    [10, 20, 25, 30],
  ],
])("knows where %s has kept its state", (_, changes, expected) => {
  expect(iterationsOf(changes)).toEqual(expected);
});

it("marks them on the axis, whatever that counts, by their iteration", () => {
  const { marks, notes } = prepareCheckpoints([{ runId: "a", iteration: 10, x: 640 }]);
  expect(marks).toMatchObject([{ x: 640, kind: "checkpoint", label: "checkpoint after iteration 10" }]);
  expect(notes).toEqual(["1 checkpoint: squares on the axis"]);
  const { marks: none, notes: said } = prepareCheckpoints(listCheckpoints({ ...kept, latestIteration: 2000 }));
  expect(none).toEqual([]);
  expect(said).toEqual(["200 checkpoints in this range, too many to mark: zoom in to see the checkpoints"]);
});
