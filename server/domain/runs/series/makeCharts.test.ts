import { expect, it } from "vitest";
import { makeCharts, makeDeltas, type ChartOptions } from "./makeCharts.ts";
import type { Series } from "#packages/statistics";

const options: ChartOptions = { aggregate: "std", seeds: true, maxPoints: 800, range: null };
const series = (runId: string, points: [number, number][], key = "loss/total"): Series => ({
  runId,
  key,
  iterations: Int32Array.from(points, ([iteration]) => iteration),
  values: Float64Array.from(points, ([, value]) => value),
});
const cells = [{ cellId: 7, runIds: ["a", "b"] }];
const request = { cells, keys: ["loss/total"], options };

it("groups the seeds of a cell, with a spread only where there are two", () => {
  const [chart] = makeCharts(
    [
      series("a", [
        [1, 1],
        [2, 4],
      ]),
      series("b", [[1, 3]]),
    ],
    request,
  );
  expect(chart?.bands).toEqual([
    {
      cellId: 7,
      iterations: [1, 2],
      values: [2, 4],
      lows: [2 - Math.SQRT2, null],
      highs: [2 + Math.SQRT2, null],
      counts: [2, 1],
      measured: [2, 1],
      edges: [{ runId: "b", kind: "ends", iteration: 1 }],
      breaks: [1],
      cadence: 1,
      numPoints: 2,
      numNotPositive: 0,
    },
  ]);
  expect(chart?.lines.map((line) => line.runId)).toEqual(["a", "b"]);
});

it("ends the band where no value can be, and has an interval from three seeds on", () => {
  const runs = ["a", "b", "c"];
  const edges = (key: string, values: number[]) => {
    const [chart] = makeCharts(
      values.map((value, i) => series(runs[i] ?? "", [[1, value]], key)),
      { cells: [{ cellId: 7, runIds: runs }], keys: [key], options: { ...options, aggregate: "interval" } },
    );
    return [...(chart?.bands[0]?.lows ?? []), ...(chart?.bands[0]?.highs ?? [])];
  };
  expect(edges("evaluation/successRate", [0.1, 0.5, 0.77])).toEqual([0, 1]);
  expect(edges("update/gradientNorm", [0.1, 0.5, 0.77])).toEqual([0, expect.closeTo(1.294, 3)]);
  expect(edges("policy/klOld", [0.1, 0.5, 0.77])).toEqual([expect.closeTo(-0.381, 3), expect.closeTo(1.294, 3)]);
  expect(edges("update/gradientNorm", [0.1, 0.5])).toEqual([null, null]);
});

it("lists non-finite values apart, and interrupts the line there", () => {
  const [chart] = makeCharts(
    [
      series("a", [
        [1, 1],
        [2, NaN],
        [3, 3],
        [4, -Infinity],
      ]),
    ],
    request,
  );
  expect(chart?.bands[0]).toMatchObject({ iterations: [1, 3], values: [1, 3], breaks: [1] });
  expect(chart?.nonFinite).toEqual([
    { runId: "a", iteration: 2, kind: "NaN" },
    { runId: "a", iteration: 4, kind: "-Infinity" },
  ]);
});

it("interrupts the line where steps are missing, by the metric's own cadence", () => {
  const every5 = series("a", [
    [0, 0],
    [5, 1],
    [10, 2],
    [30, 3],
    [35, 4],
  ]);
  expect(makeCharts([every5], request)[0]?.bands[0]).toMatchObject({ breaks: [10], cadence: 5 });
});

it("bounds a long series, keeps its spike, and says how many points there were", () => {
  const long = series(
    "a",
    Array.from({ length: 12_480 }, (_, i) => [i, i === 7001 ? 1e6 : Math.sin(i)]),
  );
  const [chart] = makeCharts([long], request);
  expect(chart?.bands[0]?.iterations.length).toBeLessThanOrEqual(800);
  expect(chart?.bands[0]?.numPoints).toBe(12_480);
  expect(chart?.bands[0]?.breaks).toEqual([]);
  expect(Math.max(...(chart?.bands[0]?.values ?? []))).toBe(1e6);
});

it("spends its points on the iterations asked for", () => {
  const long = series(
    "a",
    Array.from({ length: 10_000 }, (_, i) => [i, i]),
  );
  const [chart] = makeCharts([long], { ...request, options: { ...options, range: { from: 100, to: 199 } } });
  expect(chart?.bands[0]).toMatchObject({ numPoints: 100 });
  expect(chart?.bands[0]?.iterations).toHaveLength(100);
});

it("leaves out cells without points, and answers an unknown metric with an empty chart", () => {
  expect(makeCharts([], request)).toEqual([{ key: "loss/total", bands: [], lines: [], nonFinite: [], numUnlisted: 0 }]);
});

it("sends the stretch that one seed's new point changes, with the other seed's share in it", () => {
  const whole = [
    series("a", [
      [1, 1],
      [2, 2],
      [3, 3],
    ]),
    series("b", [
      [1, 3],
      [2, 4],
    ]),
  ];
  const news = [{ ...series("a", [[3, 3]]), isWhole: false }];
  const [delta] = makeDeltas(news, whole, request);
  expect(delta?.bands).toEqual([
    {
      cellId: 7,
      iterations: [2, 3],
      values: [3, 3],
      lows: [3 - Math.SQRT2, null],
      highs: [3 + Math.SQRT2, null],
      counts: [2, 1],
      measured: [2, 1],
      edges: [{ runId: "b", kind: "ends", iteration: 2 }],
      breaks: [2],
      cadence: 1,
      numPoints: 3,
      numNotPositive: 0,
      isWhole: false,
    },
  ]);
  expect(delta?.lines.map(({ runId, iterations }) => [runId, iterations])).toEqual([["a", [2, 3]]]);
});

it("sends a cell whole when one of its runs began again", () => {
  const whole = [
    series("a", [[1, 9]]),
    series("b", [
      [1, 3],
      [2, 4],
    ]),
  ];
  const [delta] = makeDeltas([{ ...series("a", [[1, 9]]), isWhole: true }], whole, request);
  expect(delta?.bands[0]).toMatchObject({ iterations: [1, 2], values: [6, 4], isWhole: true });
  expect(delta?.restarted).toEqual(["a"]);
});

it("thins single runs' lines where hundreds cross, spikes kept, and not the bands", () => {
  const runIds = Array.from({ length: 300 }, (_, i) => `run${i}`);
  const all = runIds.map((runId, seed) =>
    series(
      runId,
      Array.from({ length: 2000 }, (_, i) => [i, i === 1234 ? 10 + seed : Math.sin(i + seed)]),
    ),
  );
  const draw = (numRuns: number) =>
    makeCharts(all, { ...request, cells: [{ cellId: 7, runIds: runIds.slice(0, numRuns) }] })[0];
  const [few, many] = [draw(100), draw(300)];
  expect(few?.lines[0]?.values.length).toBeGreaterThan(600);
  expect(many?.lines).toHaveLength(300);
  for (const [seed, { values, numPoints }] of many?.lines.entries() ?? []) {
    expect(values.length).toBeGreaterThan(200);
    expect(values.length).toBeLessThanOrEqual(340);
    expect(Math.max(...values)).toBe(10 + seed);
    expect(numPoints).toBe(2000);
  }
  expect(many?.bands[0]?.values.length).toBeGreaterThan(340);
});

const every = (runId: string, [from, to, step]: readonly [number, number, number], value: number) =>
  series(
    runId,
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => [from + i * step, value]),
  );

it("draws one mean of seeds that log at every step and at every fifth, on to the end of the longest", () => {
  const seeds = [every("a", [1, 80, 1], 0.3), every("b", [5, 100, 5], 0.7)];
  const [band] = makeCharts(seeds, request)[0]?.bands ?? [];
  expect([band?.iterations.at(-1), band?.breaks]).toEqual([100, [4, 80]]);
  expect(new Set(band?.values.slice(4, 80))).toEqual(new Set([0.5]));
  expect(band?.edges).toEqual([
    { runId: "a", kind: "ends", iteration: 80 },
    { runId: "b", kind: "begins", iteration: 5 },
  ]);
});

it("aligns before it cuts: at the ends of a range no seed begins or ends", () => {
  const seeds = [every("a", [1, 80, 1], 0.3), every("b", [5, 100, 5], 0.7)];
  const [band] =
    makeCharts(seeds, { ...request, options: { ...options, range: { from: 11, to: 14 } } })[0]?.bands ?? [];
  expect(band).toMatchObject({ iterations: [11, 12, 13, 14], counts: [2, 2, 2, 2], measured: [1, 1, 1, 1], edges: [] });
});

it("sends again what a late point of a seldom measured seed changes: all since its last one", () => {
  const whole = [every("a", [1, 12, 1], 0), every("b", [5, 10, 5], 1)];
  const [delta] = makeDeltas([{ ...series("b", [[10, 1]]), isWhole: false }], whole, request);
  expect(delta?.bands[0]).toMatchObject({ isWhole: false, iterations: [5, 6, 7, 8, 9, 10, 11, 12] });
  const grown = [every("a", [1, 22, 1], 0), every("b", [5, 20, 5], 1)];
  const [next] = makeDeltas([{ ...series("b", [[20, 1]]), isWhole: false }], grown, request);
  expect(next?.bands[0]).toMatchObject({
    iterations: [15, 16, 17, 18, 19, 20, 21, 22],
    values: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0, 0],
    breaks: [20],
  });
});

it("counts what a logarithmic axis cannot show, before the reduction", () => {
  const long = series(
    "a",
    Array.from({ length: 5000 }, (_, i) => [i, i % 3 === 0 ? 0 : 1]),
  );
  const [chart] = makeCharts([long], request);
  expect(chart?.bands[0]?.numNotPositive).toBe(1667);
  expect(chart?.lines[0]?.numNotPositive).toBe(1667);
});
