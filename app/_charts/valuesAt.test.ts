import { expect, it } from "vitest";
import type { ChartBand } from "#server/domain/runs/series/chartData.ts";
import { cursorStops, lastValues, nearestIndex, nearestReading, valuesAt } from "./valuesAt.ts";

const band: ChartBand = {
  cellId: 1,
  iterations: [0, 5, 10],
  values: [0.1, 0.5, 0.7],
  lows: [null, 0.45, 0.68],
  highs: [null, 0.55, 0.75],
  counts: [1, 2, 2],
  measured: [1, 2, 1],
  edges: [],
  breaks: [],
  cadence: 5,
  numPoints: 3,
  numNotPositive: 0,
};
const rows = [{ entry: { cellId: 1, id: "1", label: "GRPO", color: "blue", dash: undefined }, band, unit: "" }];

it("reads the recorded point nearest to the cursor and says which one it is", () => {
  expect(valuesAt(rows, 6)[0]).toMatchObject({ iteration: 5, text: "0.500 [0.450, 0.550]", count: 2 });
});

it("writes rates in per cent, as tables do", () => {
  const rates = rows.map((row) => ({ ...row, unit: "fraction" }));
  expect(valuesAt(rates, 6)[0]?.text).toBe("50.0 [45, 55] %");
});

it("reads nothing where a line has ended", () => {
  expect(valuesAt(rows, 60)).toEqual([]);
});

it("says a value without a spread where one seed alone gives none", () => {
  expect(valuesAt(rows, 0)[0]?.text).toBe("0.100");
});

it("ends with the last values, and stops at every recorded iteration", () => {
  expect(lastValues(rows)[0]).toMatchObject({ iteration: 10, value: 0.7 });
  expect(cursorStops(rows)).toEqual([0, 5, 10]);
});

it("means the line nearest to the pointer, and none when the nearest is out of reach", () => {
  const readings = valuesAt(rows, 5).flatMap((reading) => [0.2, 0.6].map((value) => ({ ...reading, value })));
  const plot = { y: { scale: "linear" as const, domain: [0, 1] as [number, number], ticks: [] }, height: 200 };
  expect(nearestReading(readings, plot, 85)?.value).toBe(0.6);
  expect(nearestReading(readings, plot, 150)?.value).toBe(0.2);
  expect(nearestReading(readings, plot, 120)).toBeUndefined();
  expect(nearestReading([], plot, 120)).toBeUndefined();
});

it.each([
  [[], 3, -1],
  [[1, 4], 2, 0],
  [[1, 4], 3, 1],
  [[1, 3], 2, 0],
  [[1, 4], 99, 1],
])("finds in %j the value nearest to %d", (list, x, index) => {
  expect(nearestIndex(list, x)).toBe(index);
});
