import { expect, it } from "vitest";
import { chooseSweeps } from "./chooseSweeps.ts";

const sweeps = [
  { id: "waits", iterationsDone: 0 },
  { id: "trains", iterationsDone: 3 },
  { id: "done", iterationsDone: 40 },
];

it.each([
  ["one that exists", "done", ["done"], []],
  ["one that does not", "gone", [], ["gone"]],
  ["a mix, in its order and each once", ["gone", "done", "trains", "done", "gone", ""], ["done", "trains"], ["gone"]],
])("takes %s", (_, asked, sweepIds, missing) => {
  expect(chooseSweeps(asked, sweeps)).toEqual({ sweepIds, missing });
});

it("opens on the newest sweep that has trained, and on the newest where none has", () => {
  expect(chooseSweeps(undefined, sweeps)).toEqual({ sweepIds: ["trains"], missing: [] });
  expect(chooseSweeps("", sweeps)).toEqual({ sweepIds: ["trains"], missing: [] });
  expect(chooseSweeps(undefined, sweeps.slice(0, 1))).toEqual({ sweepIds: ["waits"], missing: [] });
  expect(chooseSweeps(undefined, [])).toEqual({ sweepIds: [], missing: [] });
});
