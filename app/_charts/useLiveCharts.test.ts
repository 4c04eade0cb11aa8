import { expect, it } from "vitest";
import type { Chart, ChartBand } from "#server/domain/runs/series/chartData.ts";
import { applyDeltas } from "./useLiveCharts.ts";

const band = (iterations: number[], values: number[], breaks: number[] = []): ChartBand => ({
  cellId: 1,
  iterations,
  values,
  lows: values.map(() => null),
  highs: values.map(() => null),
  counts: values.map(() => 1),
  measured: values.map(() => 1),
  edges: [],
  breaks,
  cadence: 1,
  numPoints: values.length,
  numNotPositive: 0,
});
const chart: Chart = {
  key: "loss/total",
  bands: [band([1, 2, 3], [1, 2, 3])],
  lines: [],
  nonFinite: [],
  numUnlisted: 0,
};
const other: Chart = { ...chart, key: "policy/entropy" };
const news = (fresh: ChartBand, isWhole = false) => [
  { key: "loss/total", bands: [{ ...fresh, isWhole }], lines: [], nonFinite: [], restarted: isWhole ? ["a"] : [] },
];

it("adds points at the end and replaces those that a later seed changed", () => {
  const [next] = applyDeltas([chart], news({ ...band([3, 4], [3.5, 4]), numPoints: 4 }));
  expect(next?.bands).toEqual([band([1, 2, 3, 4], [1, 2, 3.5, 4])]);
});

it("changes nothing the second time", () => {
  const delta = news(band([3, 4], [3.5, 4]));
  const once = applyDeltas([chart], delta);
  expect(applyDeltas(once, delta)).toEqual(once);
});

it("keeps the gap before a point that came after missing steps", () => {
  const [next] = applyDeltas([chart], news(band([3, 7], [3, 7], [3])));
  expect(next?.bands[0]?.breaks).toEqual([3]);
});

it("forgets an old attempt when a new one begins again", () => {
  const withNaN: Chart = { ...chart, nonFinite: [{ runId: "a", iteration: 2, kind: "NaN" }] };
  const delta = news(band([1], [9]), true);
  const [next] = applyDeltas([withNaN], delta);
  expect(next?.bands[0]?.values).toEqual([9]);
  expect(next?.nonFinite).toEqual([]);
});

it("leaves charts without news as they are, so that they are not drawn again", () => {
  expect(applyDeltas([chart, other], news(band([3], [3])))[1]).toBe(other);
});
