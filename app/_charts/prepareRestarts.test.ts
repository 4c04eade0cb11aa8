import { describe, expect, it } from "vitest";
import { prepareRestarts, marksNear, formatRestarts } from "./prepareRestarts.ts";

const entryOf = new Map([[1, { id: "1", cellId: 1, label: "SAPO", color: "blue", dash: undefined }]]);
const names = (...ids: string[]) => new Map(ids.map((runId, seed) => [runId, { runId, cellId: 1, seed }]));
const restarts = [
  { runId: "a", attempt: 2, iteration: 13, reason: "preempted" as const },
  { runId: "a", attempt: 3, iteration: 1, reason: null },
];

describe("restarts on charts", () => {
  it("say which attempt, from where it went on, and after what", () => {
    expect(prepareRestarts(restarts, names("a"), entryOf)).toEqual([
      { x: 13, color: "blue", label: "attempt 2 resumed at iteration 13 (after preempted)", kind: "restart" },
      { x: 0, color: "blue", label: "attempt 3 started over (after a retry)", kind: "restart" },
    ]);
  });

  it("name the run where there are many, and leave out those hidden", () => {
    const [tick] = prepareRestarts(restarts, names("a", "b"), entryOf);
    expect(tick?.label).toBe("SAPO, seed 0: attempt 2 resumed at iteration 13 (after preempted)");
    expect(prepareRestarts(restarts, names("a"), new Map())).toEqual([]);
  });

  it("are said under the chart, with what the dotted lines are", () => {
    const ticks = prepareRestarts(restarts, names("a"), entryOf);
    expect(formatRestarts([], "none")).toEqual([]);
    expect(formatRestarts(ticks.slice(0, 1), "none")).toEqual([
      "attempt 2 resumed at iteration 13 (after preempted): a tick on the axis",
    ]);
    expect(formatRestarts(ticks, "other")).toEqual([
      "2 restarts: ticks on the axis where attempts began; dotted lines: values of replaced attempts, left out of means",
    ]);
  });

  it("are read out by a cursor close to them", () => {
    const ticks = prepareRestarts(restarts, names("a"), entryOf);
    expect(marksNear(ticks, 14, [0, 80]).map(({ x }) => x)).toEqual([13]);
    expect(marksNear(ticks, 14, [0, 30]).map(({ x }) => x)).toEqual([13]);
    expect(marksNear(ticks, 15, [0, 80])).toEqual([]);
  });
});
