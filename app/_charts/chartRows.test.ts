import { expect, it } from "vitest";
import { chartRows } from "./chartRows.ts";
import type { DescribedChart } from "#server/domain/runs/series/chartData.ts";

const stretch = { iterations: [1, 2], breaks: [], cadence: 1, numPoints: 2, numNotPositive: 0 };
const chart: DescribedChart = {
  key: "loss/total",
  bands: [
    {
      ...stretch,
      cellId: 1,
      values: [0.5, 0.25],
      lows: [0.375, null],
      highs: [0.625, null],
      counts: [2, 1],
      measured: [1, 1],
      edges: [],
    },
    {
      ...stretch,
      cellId: 2,
      values: [9, 9],
      lows: [null, null],
      highs: [null, null],
      counts: [1, 1],
      measured: [1, 1],
      edges: [],
    },
  ],
  lines: [{ ...stretch, runId: "a", values: [0.375, 0.25] }],
  nonFinite: [{ runId: "a", iteration: 3, kind: "NaN" }],
  numUnlisted: 0,
};
const entry = (cellId: number, label: string) => ({ cellId, id: String(cellId), label, color: "", dash: undefined });
const names = {
  legend: [entry(1, "GRPO"), entry(2, "GSPO")],
  runs: new Map([["a", { runId: "a", cellId: 1, seed: 7 }]]),
};

it("lists means with what they are of, seeds where they are shown, and what was not finite; nothing hidden", () => {
  expect(chartRows({ chart, axis: "Iteration" }, names, { hidden: new Set(["2"]), seeds: true, over: null })).toEqual([
    ["line", "seed", "iteration", "loss/total", "low", "high", "n", "measured", "band"],
    ["GRPO", "", 1, 0.5, 0.375, 0.625, 2, 1, "Mean [95 % CI]"],
    ["GRPO", "", 2, 0.25, "", "", 1, 1, "Mean [95 % CI]"],
    ["GRPO", 7, 1, 0.375, "", "", "", "", ""],
    ["GRPO", 7, 2, 0.25, "", "", "", "", ""],
    ["GRPO", 7, 3, "NaN", "", "", "", "", ""],
  ]);
  expect(chartRows({ chart, axis: "Iteration" }, names, { hidden: new Set(), seeds: false, over: null })).toHaveLength(
    6,
  );
});

it("heads its column by what the chart's axis counts", () => {
  const [head] = chartRows({ chart: { ...chart, key: "clone/loss" }, axis: "Epoch" }, names, {
    hidden: new Set(),
    seeds: false,
    over: null,
  });
  expect(head).toEqual(["line", "seed", "epoch", "clone/loss", "low", "high", "n", "measured", "band"]);
});
