import { expect, it } from "vitest";
import { metricKeys } from "#trainer/spec/metric.ts";
import type { Chart } from "#server/domain/runs/series/chartData.ts";
import { families, familiesOf, isInFamily, joinFamily } from "./families.ts";
import { prepareChart } from "./prepareChart.ts";
import { defaultSettings } from "./settings.ts";

const chart = (key: string, value: number): Chart => ({
  key,
  bands: [
    {
      cellId: 77,
      iterations: [1, 2],
      values: [value, value],
      lows: [null, null],
      highs: [null, null],
      counts: [1, 1],
      measured: [1, 1],
      edges: [],
      breaks: [],
      cadence: 1,
      numPoints: 2,
      numNotPositive: 0,
    },
  ],
  lines: [],
  nonFinite: [],
  numUnlisted: 0,
});

it("has every stratum and turn of the catalogue in exactly one family", () => {
  const keys = families.flatMap(({ legend }) => legend.map(({ key }) => key));
  const inFamilies = /^(strata|turn)|^mismatch\/(.*[rR]atio|(staleness|precision)K3)/;
  expect(keys.toSorted()).toEqual(metricKeys.filter((key) => inFamilies.test(key)).toSorted());
  expect(keys.every(isInFamily)).toBe(true);
  expect(isInFamily("policy/entropy")).toBe(false);
});

it("joins the members that were logged into one chart with a line each", () => {
  const [family] = familiesOf(["strataTokens/positiveAboveHigh"]);
  if (!family) throw new Error("no family");
  const broken = { ...chart("strataTokens/negativeBelowLow", 0.75) };
  broken.nonFinite = [{ runId: "run", iteration: 2, kind: "NaN" }];
  const joined = joinFamily(family, [chart("strataTokens/positiveAboveHigh", 0.25), broken], { id: "run", seed: 3 });
  expect(joined.legend.map(({ label }) => label)).toEqual(["A+ r≥1 high", "A− r<1 low"]);
  const model = prepareChart({ ...joined, settings: defaultSettings });
  expect(model).toMatchObject({ title: "Tokens by stratum", unit: "fraction" });
  expect(model.lines.map(({ id, dash }) => [id, dash])).toEqual([
    ["positiveAboveHigh", undefined],
    ["negativeBelowLow", "2 2.5"],
  ]);
  expect(model.marks).toMatchObject([{ x: 2, kind: "NaN" }]);
});

it("shows where the run was restarted and what the detector said of it, as the run's other charts do", () => {
  const [family] = familiesOf(["strataTokens/positiveAboveHigh"]);
  if (!family) throw new Error("no family");
  const joined = joinFamily(family, [chart("strataTokens/positiveAboveHigh", 0.25)], { id: "run", seed: 3 });
  const model = prepareChart(
    { ...joined, settings: defaultSettings },
    {
      restarts: [{ runId: "run", attempt: 2, iteration: 2, reason: "preempted" }],
      events: [{ runId: "run", iteration: 2, severity: "warning", message: "KL rises" }],
    },
  );
  expect(model.events).toMatchObject([
    { x: 2, label: "KL rises (2)" },
    { x: 2, label: "attempt 2 resumed at iteration 2 (after preempted)" },
  ]);
});

it("offers no family of which nothing was logged", () => {
  expect(familiesOf(["policy/entropy"])).toEqual([]);
});
