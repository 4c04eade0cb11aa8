import { expect, it } from "vitest";
import type { Chart, ChartBand } from "#server/domain/runs/series/chartData.ts";
import type { LegendEntry } from "./names.ts";
import { describeChart, prepareChart } from "./prepareChart.ts";
import { defaultSettings, type ChartSettings } from "./settings.ts";

const legend: LegendEntry[] = [
  { cellId: 1, id: "1", label: "GRPO", color: "blue", dash: undefined },
  { cellId: 2, id: "2", label: "SAMPO", color: "red", dash: undefined },
];
const runs = new Map(
  [
    { runId: "a", cellId: 1, seed: 0 },
    { runId: "b", cellId: 2, seed: 4 },
  ].map((run) => [run.runId, run]),
);
const band = (cellId: number, values: number[], more: Partial<ChartBand> = {}): ChartBand => ({
  cellId,
  iterations: values.map((_, i) => i),
  values,
  lows: values.map((x) => x - 0.1),
  highs: values.map((x) => x + 0.1),
  counts: values.map(() => 2),
  measured: more.counts ?? values.map(() => 2),
  edges: [],
  breaks: [],
  cadence: 1,
  numPoints: values.length,
  numNotPositive: values.filter((x) => x <= 0).length,
  ...more,
});
const chart = (bands: ChartBand[], more: Partial<Chart> = {}): Chart => ({
  key: "update/gradientNorm",
  bands,
  lines: [],
  nonFinite: [],
  numUnlisted: 0,
  ...more,
});
const prepare = (data: Chart, settings: Partial<ChartSettings> = {}) =>
  prepareChart({ chart: data, legend, runs, settings: { ...defaultSettings, ...settings } });

it("names metric, unit, spread and number of seeds", () => {
  const model = prepare(chart([band(1, [1, 2])], { key: "policy/klReference" }));
  expect([model.title, model.unit, model.bandName]).toEqual([
    "KL to reference",
    "nats/token",
    "mean over 2 seeds, no interval (needs 3 seeds)",
  ]);
});

it("labels the axis of a rate in per cent, also between the reader's limits", () => {
  const rate = chart([band(1, [0.07, 0.48])], { key: "evaluation/successRate" });
  const textsOf = (model: ReturnType<typeof prepare>) => model.y.ticks.map(({ text }) => text);
  expect(textsOf(prepare(rate))).toEqual(expect.arrayContaining(["0 %", "20 %"]));
  const limits = new Map([["evaluation/successRate", { low: 0.07, high: 0.5 }]]);
  const texts = textsOf(prepare(rate, { limits }));
  expect([texts[0], texts.at(-1)]).toEqual(["7 %", "50 %"]);
  expect(describeChart(prepare(rate), defaultSettings)).not.toContain("share");
});

it.each([
  [[2, 3], "mean [95 % CI] over 2–3 seeds"],
  [[2, 2], "mean over 2 seeds, no interval (needs 3 seeds)"],
  [[1, 1], "1 seed"],
])("says how many seeds are in the mean when they are %j", (counts, name) => {
  expect(prepare(chart([band(1, [1, 2], { counts })])).bandName).toBe(name);
});

it("draws a gap as two stretches and never as a zero", () => {
  const [line] = prepare(chart([band(1, [5, 6, 7], { iterations: [1, 2, 9], breaks: [2] })])).lines;
  expect(line?.segments.map((segment) => segment.map(({ x, y }) => [x, y]))).toEqual([
    [
      [1, 5],
      [2, 6],
    ],
    [[9, 7]],
  ]);
});

it("covers line and band with the axis, so that no outlier is left out", () => {
  const { y } = prepare(chart([band(1, [1, 40], { lows: [null, 25], highs: [null, 55] })]));
  expect(y.domain[0]).toBeLessThanOrEqual(1);
  expect(y.domain[1]).toBeGreaterThanOrEqual(55);
});

it("begins shares at zero and ends them at one", () => {
  const { y } = prepare(chart([band(1, [0.4, 0.99])], { key: "evaluation/successRate" }));
  expect(y.domain).toEqual([0, 1]);
});

it("begins logarithmic where lines lie orders of magnitude apart, and is linear once that is chosen", () => {
  const ratios = { ...chart([band(1, [1e-4, 1, 300])]), key: "mismatchRatios" };
  expect(prepare(ratios).y.scale).toBe("log");
  expect(prepare(ratios, { log: new Set(["mismatchRatios"]) }).y.scale).toBe("linear");
});

it("counts and says what a log axis cannot show", () => {
  const model = prepare(chart([band(1, [1, 0, -3, 10])]), { log: new Set(["update/gradientNorm"]) });
  expect(model.y.scale).toBe("log");
  expect(model.lines[0]?.segments.flat().map(({ y }) => y)).toEqual([1, 10]);
  expect(model.notes).toContain("2 values ≤ 0 cannot be drawn on the log axis");
  const settings = { ...defaultSettings, log: new Set(["update/gradientNorm"]), smoothing: 0.5 };
  expect(describeChart(model, settings)).toContain("log, 2 values ≤ 0 not shown");
});

it("counts each value once that a log axis cannot show: smoothed lines and reductions change nothing", () => {
  const log = new Set(["update/gradientNorm"]);
  const data = chart([band(1, [1, 0, 4, 10], { numPoints: 900, numNotPositive: 40 })]);
  expect(prepare(data, { log, smoothing: 0.9 }).numHidden).toBe(40);
  expect(prepare(data, { log, hidden: new Set(["1"]) }).numHidden).toBe(0);
  expect(prepare(data).numHidden).toBe(0);
});

it("marks NaN and infinities at their step, in the colour of their line, and counts them in words", () => {
  const model = prepare(
    chart([band(2, [1, 2])], {
      nonFinite: [
        { runId: "b", iteration: 7, kind: "NaN" },
        { runId: "b", iteration: 8, kind: "Infinity" },
      ],
      numUnlisted: 3,
    }),
  );
  expect(model.marks).toEqual([
    { x: 7, kind: "NaN", color: "red", label: "NaN at iteration 7: SAMPO, seed 4" },
    { x: 8, kind: "Infinity", color: "red", label: "+∞ at iteration 8: SAMPO, seed 4" },
  ]);
  expect(model.x.domain[1]).toBe(8);
  expect(model.notes.slice(0, 2)).toEqual([
    "2 values not finite (1 NaN, 1 +∞): marked at their step, left out of means",
    "3 more values not finite, not marked",
  ]);
});

it("does not smooth unless asked, and then keeps the raw mean faint beside it", () => {
  expect(prepare(chart([band(1, [1, 5])])).lines.map((line) => line.weight)).toEqual(["line"]);
  const smoothed = prepare(chart([band(1, [1, 5])]), { smoothing: 0.5 });
  expect(smoothed.lines.map(({ weight, segments }) => [weight, segments.flat().map(({ y }) => y)])).toEqual([
    ["faint", [1, 5]],
    ["line", [1, (0.5 * 0.5 * 1 + 0.5 * 5) / 0.75]],
  ]);
  expect(smoothed.notes).toContain("smoothed (debiased EMA 0.50); faint lines show raw means");
});

it("says that and how far it was reduced", () => {
  const model = prepare(chart([band(1, [1, 2, 3], { numPoints: 12_480 })]));
  expect(model.notes).toContain("12,480 points reduced to 3, with all extrema");
});

it("draws single seeds only on demand, as thin lines of their cell's colour", () => {
  const line = { runId: "b", iterations: [0], values: [2], breaks: [], cadence: 1, numPoints: 1, numNotPositive: 0 };
  const data = chart([band(2, [2])], { lines: [line] });
  expect(prepare(data).lines).toHaveLength(1);
  expect(prepare(data, { seeds: true }).lines[0]).toMatchObject({ weight: "seed", color: "red" });
});

it("leaves out what the legend hides, with its marks", () => {
  const data = chart([band(1, [1]), band(2, [100])], { nonFinite: [{ runId: "b", iteration: 3, kind: "NaN" }] });
  const model = prepare(data, { hidden: new Set(["2"]) });
  expect(model.lines.map(({ id }) => id)).toEqual(["1"]);
  expect(model.marks).toEqual([]);
});

it("has axes and says so when nothing was measured yet", () => {
  const model = prepare(chart([]));
  expect(model.bandName).toBe("no finite value yet");
  expect(model.y.ticks.length).toBeGreaterThan(1);
});

it("says of runs that are over that no value was logged, and of others that none is there yet", () => {
  const ended = new Map([...runs].map(([id, run]) => [id, { ...run, isOver: id === "a" }]));
  const say = (hidden: string[]) =>
    prepareChart({ chart: chart([]), legend, runs: ended, settings: { ...defaultSettings, hidden: new Set(hidden) } })
      .bandName;
  expect(say([])).toBe("no finite value yet");
  expect(say(["2"])).toBe("no finite value was logged");
});

it("draws a mean paler where fewer seeds are in it, not connected, with a tick where one ends or begins", () => {
  const edges = [{ runId: "a", kind: "ends" as const, iteration: 1 }];
  const data = chart([band(1, [1, 2, 3, 4], { counts: [3, 3, 2, 2], breaks: [1], edges })]);
  const model = prepare(data);
  expect(model.lines.map(({ weight, segments }) => [weight, segments.flat().map(({ x }) => x)])).toEqual([
    ["line", [0, 1]],
    ["partial", [2, 3]],
  ]);
  expect(model.seedEdges).toEqual([{ id: "1", color: "blue", x: 1, y: 2, label: "GRPO: seed 0 ends here" }]);
  expect(model.notes).toContain("lines are paler where a mean covers fewer seeds; 1 tick where seeds begin or end");
  const training = new Map([["a", { runId: "a", cellId: 1, seed: 0, isOver: false }]]);
  const live = prepareChart({ chart: data, legend, runs: training, settings: defaultSettings });
  expect(live.seedEdges[0]?.label).toBe("GRPO: seed 0 has reached this iteration");
});

it("smooths each stretch of a mean by itself: seeds that enter or leave do not drag it", () => {
  const data = chart([band(1, [1, 1, 5, 5, 5, 9], { counts: [1, 1, 3, 3, 3, 2], breaks: [1, 4] })]);
  const lines = prepare(data, { smoothing: 0.9 }).lines.filter(({ weight }) => weight !== "faint");
  expect(lines.map(({ segments }) => segments.map((one) => one.map(({ y }) => y)))).toEqual([
    [[5, 5, 5]],
    [[1, 1], [9]],
  ]);
});

it("draws what is left of a mean where its seeds are fewer at single points only", () => {
  const data = chart([band(1, [1, 2, 9], { iterations: [0, 1, 6], counts: [2, 2, 1], breaks: [1] })]);
  const model = prepare(data);
  expect(model.lines.at(-1)).toMatchObject({ weight: "partial", segments: [[{ x: 6, y: 9 }]] });
  expect(model.x.domain).toEqual([0, 6]);
});

it("says that seeds are interpolated where some logged at other steps", () => {
  const model = prepare(chart([band(1, [1, 2, 3], { counts: [3, 3, 3], measured: [3, 2, 3] })]));
  expect(model.bandName).toBe("mean [95 % CI] over 3 seeds, interpolated");
  expect(model.notes).toContain("seeds logged at different steps are interpolated between their own values");
});

it("has no axis below zero for what is never negative, however wide the band", () => {
  expect(prepare(chart([band(1, [0.1, 2], { lows: [-0.9, -3], highs: [1.1, 7] })])).y.domain[0]).toBe(0);
});

it("draws what a newer attempt replaced as a line of its own that no mean contains", () => {
  const ghost = { key: "update/gradientNorm", runId: "a", attempt: 1, iterations: [1, 2], values: [7, 9] };
  const other = { ...ghost, key: "policy/entropy" };
  const ends = { breaks: [], cadence: 1, numPoints: 2, numNotPositive: 0 };
  const restart = { runId: "a", attempt: 2, iteration: 2, reason: "preempted" as const };
  const model = prepareChart(
    { chart: chart([band(1, [1, 2, 3])]), legend, runs, settings: defaultSettings },
    {
      restarts: [restart],
      ghosts: [ghost, other].map((one) => ({ ...one, ...ends })),
    },
  );
  const drawn = model.lines.map(({ weight, segments }) => [weight, segments.flat().map(({ y }) => y)]);
  expect(drawn).toEqual([
    ["ghost", [7, 9]],
    ["line", [1, 2, 3]],
  ]);
  expect(model.events).toMatchObject([{ x: 2, kind: "restart" }]);
  expect(model.notes.join()).toContain("GRPO, seed 0: attempt 2 resumed at iteration 2");
});

it("says so where a newer attempt logged the same values again", () => {
  const ends = { breaks: [], cadence: 1, numPoints: 2, numNotPositive: 0 };
  const ghost = { key: "update/gradientNorm", runId: "a", attempt: 1, iterations: [1, 2], values: [2, 3], ...ends };
  const restarts = [{ runId: "a", attempt: 2, iteration: 2, reason: null }];
  const data = chart([band(1, [1, 2, 3], { counts: [1, 1, 1] })]);
  const { notes } = prepareChart(
    { chart: data, legend, runs, settings: defaultSettings },
    { restarts, ghosts: [ghost] },
  );
  expect(notes.join()).toContain("the replaced attempts had logged the same values");
});

const manyLines = (count: number) => {
  const entries = Array.from({ length: count }, (_, i) => ({
    cellId: i + 1,
    id: String(i + 1),
    label: "GRPO",
    color: "blue",
    dash: undefined,
  }));
  const bands = entries.map(({ cellId }) => band(cellId, [1, 2], { lows: [-2, 1], highs: [40, 5], counts: [3, 3] }));
  return prepareChart({ chart: chart(bands), legend: entries, runs, settings: defaultSettings });
};

it.each([1, 3, 4, 6])("draws the bands of %i lines, and fits the axis to them", (count) => {
  const model = manyLines(count);
  expect(model).toMatchObject({ hasManyBands: false, whiskers: [], bandName: "mean [95 % CI] over 3 seeds" });
  expect(model.areas).toHaveLength(count);
  expect(model.isCrowded).toBe(count > 3);
  expect(model.y.domain[1]).toBeGreaterThanOrEqual(40);
});

it("draws whiskers at the last points of seven lines and more, and fits the axis to lines and whiskers", () => {
  const model = manyLines(7);
  expect(model).toMatchObject({ hasManyBands: true, bandName: "mean [95 % CI at the last point] over 3 seeds" });
  expect(model.whiskers).toHaveLength(7);
  expect(model.whiskers[0]).toEqual({ id: "1", color: "blue", x: 1, y: 2, low: 1, high: 5 });
  expect([model.y.domain[1] >= 5, model.y.domain[1] < 40]).toEqual([true, true]);
});

it("draws an axis between the limits that were chosen, and says how many points lie beyond", () => {
  const limited = (low: number | null, high: number | null) =>
    prepare(chart([band(1, [1, 5, 40])]), { limits: new Map([["update/gradientNorm", { low, high }]]) });
  expect(limited(0, 12).y.domain).toEqual([0, 12]);
  expect(limited(null, 12).y.domain).toEqual([0, 12]);
  expect(limited(50, null).y.domain).toEqual([50, 55]);
  expect(limited(0, 12).notes).toContain("1 point beyond the limits of the axis");
});

it("stands over what its runs had sampled, with its alarms at the same places", () => {
  const course = Float64Array.from([0, 100, 300]);
  const axis = {
    kind: "tokens" as const,
    progress: { cells: [{ cellId: 1, course }], runs: [{ runId: "a", course }], numWithout: 0 },
  };
  const events = [{ runId: "a", iteration: 2, severity: "hindsight" as const, message: "collapsed" }];
  const model = prepareChart(
    { chart: chart([band(1, [3, 2, 1])]), legend, runs, settings: defaultSettings },
    { axis, events },
  );
  expect(model.x).toMatchObject({ name: "Sampled tokens", domain: [0, 300] });
  expect(model.events).toMatchObject([{ x: 300, kind: "hindsight", label: "GRPO, seed 0: collapsed (2)" }]);
});

it("has the pinned baseline as a level within its axes, unless the reader switched it off", () => {
  const shared = { cellId: 2, method: "SAMPO", label: "", environment: "sokoban", sweepName: "S", numRuns: 3 };
  const references = [{ ...shared, key: "update/gradientNorm", value: 9 }];
  const level = (settings: Partial<ChartSettings>, value = 9) =>
    prepareChart(
      { chart: chart([band(1, [1, 2, 3])]), legend, runs, settings: { ...defaultSettings, ...settings } },
      { references: references.map((one) => ({ ...one, value })) },
    );
  const model = level({});
  expect(model.references).toEqual([
    { id: "2", color: "red", label: "Baseline SAMPO 9.00", short: "Baseline 9.00", y: 9 },
  ]);
  expect(model.y.domain[1]).toBeGreaterThanOrEqual(9);
  expect(model.x.domain).toEqual([0, 2]);
  expect(level({ baseline: false }).references).toEqual([]);
  expect(level({ log: new Set(["update/gradientNorm"]) }, -1).references).toEqual([]);
  const cut = level({ limits: new Map([["update/gradientNorm", { low: 0, high: 4 }]]) });
  expect(cut.notes).toContain("1 point beyond the limits of the axis");
});

it("marks checkpoints of one run on its axis, and those in the part that is shown", () => {
  const checkpoints = [1, 2].map((iteration) => ({ runId: "a", iteration }));
  const prepared = (range: ChartSettings["range"]) =>
    prepareChart(
      { chart: chart([band(1, [1, 2, 3])]), legend, runs, settings: { ...defaultSettings, range } },
      { checkpoints },
    );
  expect(prepared(null).events.map(({ x, kind }) => [x, kind])).toEqual([
    [1, "checkpoint"],
    [2, "checkpoint"],
  ]);
  expect(prepared([0, 1]).events).toHaveLength(1);
});
