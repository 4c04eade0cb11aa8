import { expect, it } from "vitest";
import type { DescribedChart } from "./chartData.ts";
import { projectChart, type ChartAxis } from "./projectChart.ts";

const stretch = { iterations: [0, 1, 2, 3], breaks: [1], cadence: 1, numPoints: 4, numNotPositive: 0 };
const chart: DescribedChart = {
  key: "loss/total",
  bands: [1, 2].map((cellId) => ({
    ...stretch,
    cellId,
    values: [4, 3, 2, 1],
    lows: [null, null, null, null],
    highs: [null, null, null, null],
    counts: [1, 1, 1, 1],
    measured: [1, 1, 1, 1],
    edges: [{ runId: "a", kind: "ends", iteration: 2 }],
  })),
  lines: [{ ...stretch, runId: "a", values: [4, 3, 2, 1] }],
  nonFinite: [
    { runId: "a", iteration: 2, kind: "NaN" },
    { runId: "b", iteration: 2, kind: "NaN" },
  ],
  numUnlisted: 0,
};
const over = (kind: "tokens" | "time", course: readonly number[]): ChartAxis => ({
  kind,
  progress: {
    cells: [{ cellId: 1, course: Float64Array.from(course) }],
    runs: [{ runId: "a", course: Float64Array.from(course) }],
    numWithout: 1,
  },
});

it("moves points, interruptions and marks to where their runs were, and says which runs cannot be placed", () => {
  const { chart: moved, axis, notes, xOf } = projectChart(chart, over("tokens", [0, 100, 250, 400]));
  expect(moved.bands).toMatchObject([{ cellId: 1, iterations: [0, 100, 250, 400], breaks: [100], cadence: 150 }]);
  expect(moved.lines).toMatchObject([{ runId: "a", iterations: [0, 100, 250, 400] }]);
  expect(moved.nonFinite).toEqual([{ runId: "a", iteration: 250, kind: "NaN" }]);
  expect([axis, notes]).toEqual(["Sampled tokens", ["1 of these runs did not log sampled tokens"]]);
  expect([xOf("a", 3), xOf("b", 3)]).toEqual([400, undefined]);
});

it("ends a line where its log ends to say how far it was", () => {
  expect(projectChart(chart, over("tokens", [0, 100])).chart.bands[0]?.iterations).toEqual([0, 100]);
});

it.each([
  [[0, 30_000, 60_000], "Training time (s)", 60],
  [[0, 300_000, 600_000], "Training time (min)", 10],
  [[0, 3_600_000, 14_400_000], "Training time (h)", 4],
] as const)("counts times in a unit that suits them: %j", (course, name, last) => {
  const { chart: moved, axis } = projectChart(chart, over("time", course));
  expect([axis, moved.bands[0]?.iterations[2]]).toEqual([name, last]);
});

it("leaves epochs of cloning and iterations where they are", () => {
  expect(projectChart({ ...chart, key: "clone/loss" }, over("tokens", [0, 1])).axis).toBe("Epoch");
  expect(projectChart(chart, { kind: "iteration" }).chart).toBe(chart);
});
