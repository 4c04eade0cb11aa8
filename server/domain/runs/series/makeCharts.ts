import { countsEpochs, describeMetric } from "#trainer/spec/metric.ts";
import { withinValues, describeNonFinite, type Curve, type Series } from "#packages/statistics";
import type { Aggregate, Chart, ChartBand, ChartDelta, ChartLine, RunMark, SeedEdge, Stretch } from "./chartData.ts";
import { downsample, selectIndices } from "./downsample.ts";
import { summariseSeeds, type SeedSummary } from "./seedSummary.ts";
import { stepsOf } from "./alignSeeds.ts";

/** Runs of a configuration. `repeats`: those that are equal at every step to another one, which counts for them. */
export type ChartCell = { cellId: number; runIds: readonly string[]; repeats?: readonly string[] };

/** Further non-finite points are only counted. */
export const maxMarks = 500;

export type ChartOptions = {
  aggregate: Aggregate;
  /** Shows lines of single runs in addition to bands. */
  seeds: boolean;
  /** Approximate maximum per line or band, before all lines of a chart share a total. */
  maxPoints: number;
  /** Range of iterations, including both ends. */
  range: { from: number; to: number } | null;
};

type Request = { cells: readonly ChartCell[]; keys: readonly string[]; options: ChartOptions };

/**
 * Makes one chart per key: aligns seeds of a cell by iteration, then downsamples curves, keeping extrema.
 *
 * @testing Oracle of charts whose parts are kept.
 */
export function makeCharts(series: readonly Series[], { cells, keys, options }: Request): Chart[] {
  const seriesOf = indexSeries(series);
  return keys.map((key) => {
    const drawn = cells
      .map((cell) => ({ cell, curves: seriesOf(key, cell) }))
      .filter(({ curves }) => curves.length > 0);
    const resolution = chooseResolution(
      drawn.map(({ curves }) => curves.length),
      options,
    );
    return joinParts(
      key,
      drawn.map(({ cell, curves }) => makePart(cell, curves, { ...options, ...resolution })),
    );
  });
}

/** Maximum points of each line and band of a chart, whose configurations share a total. */
export type Resolution = { linePoints: number; bandPoints: number };

/** @param numCurves number of curves of each configuration in the chart */
export function chooseResolution(numCurves: readonly number[], options: ChartOptions): Resolution {
  const numLines = options.seeds ? numCurves.reduce((sum, count) => sum + count, 0) : 0;
  return {
    linePoints: share(sharedByLines, numLines, options),
    bandPoints: share(sharedByBands, numCurves.length, options),
  };
}

/** Contents of a chart about one configuration, which depend on no other configuration but by the resolution. */
export type ChartPart = { band: ChartBand; lines: ChartLine[]; marks: RunMark[] };

export function makePart(
  cell: ChartCell,
  curves: readonly Series[],
  { linePoints, bandPoints, ...options }: ChartOptions & Resolution,
): ChartPart {
  const shown = curves.map((one) => cut(one, options));
  return {
    band: makeBand(cell, summariseCell(keepCounted(cell, curves), options), { ...options, maxPoints: bandPoints }),
    lines: options.seeds ? shown.map((one) => makeLine(one, { maxPoints: linePoints })) : [],
    marks: shown.flatMap(listMarks),
  };
}

export function joinParts(key: string, parts: readonly ChartPart[]): Chart {
  const marks = parts.flatMap((part) => part.marks);
  return {
    key,
    bands: parts.map(({ band }) => band),
    lines: parts.flatMap(({ lines }) => lines),
    nonFinite: marks.slice(0, maxMarks),
    numUnlisted: Math.max(0, marks.length - maxMarks),
  };
}

/**
 * Makes updates since the reader's last request. `whole`: full series of every run in the affected cells, because a new
 * point of one seed changes its cell's mean.
 */
export function makeDeltas(
  changed: readonly News[],
  whole: readonly Series[],
  { cells, keys, options }: Request,
): ChartDelta[] {
  const seriesOf = indexSeries(whole);
  const deltas = keys.map((key) => {
    const news = changed.filter((one) => one.key === key).map((one) => cut(one, options));
    const newsOf = (runIds: readonly string[]) => news.filter((one) => runIds.includes(one.runId));
    return {
      key,
      bands: cells.flatMap((cell) => {
        const ofCell = newsOf(cell.runIds);
        if (ofCell.length === 0) return [];
        const curves = keepCounted(cell, seriesOf(key, cell));
        return [makeBandDelta(cell, { seeds: summariseCell(curves, options), curves, news: ofCell }, options)];
      }),
      lines: options.seeds
        ? cells.flatMap((cell) =>
            makeLineDeltas(
              seriesOf(key, cell).map((one) => cut(one, options)),
              newsOf,
              options,
            ),
          )
        : [],
      nonFinite: news.flatMap(listMarks).slice(0, maxMarks),
      restarted: news.filter((one) => one.isWhole).map((one) => one.runId),
    };
  });
  return deltas.filter(({ bands, restarted }) => bands.length > 0 || restarted.length > 0);
}

function keepCounted({ repeats = [] }: ChartCell, curves: readonly Series[]): readonly Series[] {
  return curves.filter(({ runId }) => !repeats.includes(runId));
}

type News = Series & { isWhole: boolean };

type Grown = { seeds: CellSummary; curves: readonly Series[]; news: readonly News[] };

function makeBandDelta(cell: ChartCell, { seeds, curves, news }: Grown, options: ChartOptions) {
  const start = news.some((one) => one.isWhole) ? 0 : findStart(seeds.iterations, reachBack(news, curves));
  if (start === 0 || seeds.iterations.length - start > options.maxPoints) {
    return { ...makeBand(cell, seeds, options), isWhole: true };
  }
  const indices = Int32Array.from({ length: seeds.iterations.length - start }, (_, i) => start + i);
  return { ...toBand(cell, seeds, indices), isWhole: false };
}

/** Extends updates backwards: a new point changes the values interpolated since its seed's previous point. */
function reachBack(news: readonly News[], curves: readonly Series[]): readonly Pick<News, "iterations">[] {
  if (curves.length === 1) return news;
  return news.map(({ runId, iterations }) => {
    const first = iterations[0] ?? Infinity;
    const whole = curves.find((one) => one.runId === runId);
    const at = whole?.iterations.findLastIndex((x, i) => x < first && Number.isFinite(whole.values[i])) ?? -1;
    const last = whole?.iterations[at];
    return { iterations: Int32Array.of(last === undefined ? first : last + 1) };
  });
}

function makeLineDeltas(
  whole: readonly Series[],
  newsOf: (runIds: readonly string[]) => readonly News[],
  options: ChartOptions,
): ChartDelta["lines"] {
  return whole.flatMap((one): ChartDelta["lines"] => {
    const news = newsOf([one.runId]);
    if (news.length === 0) return [];
    const start = news.some(({ isWhole }) => isWhole) ? 0 : findStart(one.iterations, news);
    if (start === 0 || one.iterations.length - start > options.maxPoints) {
      return [{ ...makeLine(one, options), isWhole: true }];
    }
    const tail = { iterations: one.iterations.slice(start), values: one.values.slice(start) };
    return [{ ...toLine(one.runId, tail, one), isWhole: false }];
  });
}

/** Returns the index of the last point before the earliest new point. */
function findStart(iterations: Int32Array, news: readonly Pick<News, "iterations">[]): number {
  const earliest = news.reduce((least, one) => Math.min(least, one.iterations[0] ?? Infinity), Infinity);
  return Math.max(0, iterations.findIndex((iteration) => iteration >= earliest) - 1);
}

type CellSummary = Omit<SeedSummary, "ranges"> & { edges: SeedEdge[] };

/** Seeds are aligned before they are cut to the range, because the end of the range is not the end of a seed. */
function summariseCell(curves: readonly Series[], options: ChartOptions): CellSummary {
  const { ranges, ...seeds } = summariseSeeds(curves, options.aggregate);
  const runs = curves.flatMap(({ runId }, i) => (ranges[i] === undefined ? [] : [{ runId, ...ranges[i] }]));
  const [first, last] = [Math.min(...runs.map((run) => run.first)), Math.max(...runs.map((run) => run.last))];
  const metric = describeMetric(curves[0]?.key ?? "");
  const edgesAt = (index: number) => {
    const band = seeds.edgesAt(index);
    return band && withinValues(band, metric);
  };
  const edges = runs.flatMap((run): SeedEdge[] => [
    ...(run.first > first ? [{ runId: run.runId, kind: "begins" as const, iteration: run.first }] : []),
    ...(run.last < last ? [{ runId: run.runId, kind: "ends" as const, iteration: run.last }] : []),
  ]);
  const { range } = options;
  if (!range || curves.every(({ key }) => countsEpochs(key))) return { ...seeds, edgesAt, edges };
  const isInside = (iteration: number) => iteration >= range.from && iteration <= range.to;
  const from = seeds.iterations.findIndex((iteration) => iteration >= range.from);
  const start = from === -1 ? seeds.iterations.length : from;
  const size = seeds.iterations.subarray(start).filter(isInside).length;
  return {
    iterations: seeds.iterations.subarray(start, start + size),
    measured: seeds.measured.subarray(start, start + size),
    values: seeds.values.subarray(start, start + size),
    n: seeds.n.subarray(start, start + size),
    extremes: seeds.extremes.map((column) => column.subarray(start, start + size)),
    edgesAt: (index) => edgesAt(start + index),
    breaks: seeds.breaks.filter(isInside),
    edges: edges.filter(({ iteration }) => isInside(iteration)),
  };
}

function makeBand(cell: ChartCell, seeds: CellSummary, { aggregate, maxPoints }: ChartOptions): ChartBand {
  const most = aggregate === "iqm" ? Math.min(maxPoints, maxBootstrapped) : maxPoints;
  return toBand(cell, seeds, selectIndices(seeds.iterations, seeds.extremes, most));
}

/** Ten configurations of forty seeds then take a second to bootstrap. */
const maxBootstrapped = 200;

/**
 * Total number of points, and minimum per line. Details of hundreds of crossing lines are visible only after zooming
 * in.
 */
type Shared = { numPoints: number; minPoints: number };
const sharedByLines: Shared = { numPoints: 100_000, minPoints: 200 };
/** Limits that the bands of a chart share; larger responses would block the web process for 0.1 s. */
const sharedByBands: Shared = { numPoints: 20_000, minPoints: 100 };

function share(
  { numPoints, minPoints }: Shared,
  numCurves: number,
  { maxPoints }: Pick<ChartOptions, "maxPoints">,
): number {
  return Math.min(maxPoints, Math.max(minPoints, Math.floor(numPoints / numCurves)));
}

export function makeLine({ runId, ...curve }: Series, { maxPoints }: Pick<ChartOptions, "maxPoints">): ChartLine {
  return toLine(runId, downsample(curve, maxPoints), curve);
}

function toBand({ cellId }: ChartCell, seeds: CellSummary, indices: Int32Array): ChartBand {
  const { iterations, values, n, measured, breaks, edges } = seeds;
  const drawn = {
    iterations: indices.map((i) => iterations[i] ?? 0),
    values: Float64Array.from(indices, (i) => values[i] ?? NaN),
  };
  const kept = [...indices].filter((i) => Number.isFinite(values[i]));
  const edgesOf = kept.map(seeds.edgesAt);
  return {
    cellId,
    values: kept.map((i) => values[i] ?? NaN),
    lows: edgesOf.map((edge) => finiteOrNull(edge?.low)),
    highs: edgesOf.map((edge) => finiteOrNull(edge?.high)),
    counts: kept.map((i) => n[i] ?? 0),
    measured: kept.map((i) => measured[i] ?? 0),
    edges,
    ...describeStretch(drawn, { iterations, values }, breaks),
  };
}

function toLine(runId: string, drawn: Curve, whole: Curve): ChartLine {
  const values = listFinite(drawn.values).map((i) => drawn.values[i] ?? NaN);
  const breaks = stepsOf(whole.iterations).gaps.map((at) => whole.iterations[at] ?? 0);
  return { runId, values, ...describeStretch(drawn, whole, breaks) };
}

/** Keeps finite points; breaks at others and where the full curve is interrupted (ascending iterations). */
function describeStretch(drawn: Curve, whole: Curve, interrupted: readonly number[]): Stretch {
  const kept = listFinite(drawn.values);
  const iterations = kept.map((i) => drawn.iterations[i] ?? 0);
  let next = 0;
  const breaks = iterations.slice(0, -1).filter((iteration, at) => {
    while ((interrupted[next] ?? Infinity) < iteration) next++;
    const isSkipped = (kept[at + 1] ?? 0) > (kept[at] ?? 0) + 1;
    return isSkipped || (interrupted[next] ?? Infinity) < (iterations[at + 1] ?? 0);
  });
  const { cadence } = stepsOf(whole.iterations);
  return { iterations, breaks, cadence, ...countValues(whole.values) };
}

function listFinite(values: Float64Array): number[] {
  const indices: number[] = [];
  for (let i = 0; i < values.length; i++) if (Number.isFinite(values[i])) indices.push(i);
  return indices;
}

function countValues(values: Float64Array): { numPoints: number; numNotPositive: number } {
  let [numPoints, numNotPositive] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) continue;
    numPoints += 1;
    if ((values[i] ?? 0) <= 0) numNotPositive += 1;
  }
  return { numPoints, numNotPositive };
}

function listMarks({ runId, iterations, values }: Series): RunMark[] {
  const marks: RunMark[] = [];
  // An iterator over all points would cost more than the rest of the chart.
  for (let i = 0; i < values.length; i++) {
    const x = values[i] ?? NaN;
    if (!Number.isFinite(x)) marks.push({ runId, iteration: iterations[i] ?? 0, kind: describeNonFinite(x) });
  }
  return marks;
}

export function indexSeries(series: readonly Series[]) {
  const index = new Map(series.map((one) => [`${one.key} ${one.runId}`, one]));
  return (key: string, cell: ChartCell): Series[] => cell.runIds.flatMap((runId) => index.get(`${key} ${runId}`) ?? []);
}

function cut<One extends Series>(one: One, options: Pick<ChartOptions, "range">): One {
  return { ...one, ...within(one, options) };
}

/** Cuts a series to the requested range. Epochs of behaviour cloning are not iterations, so all of them are kept. */
export function within({ key, iterations, values }: Series, { range }: Pick<ChartOptions, "range">): Curve {
  if (!range || countsEpochs(key)) return { iterations, values };
  const isInside = (_: number, i: number) => (iterations[i] ?? 0) >= range.from && (iterations[i] ?? 0) <= range.to;
  return { iterations: iterations.filter(isInside), values: values.filter(isInside) };
}

function finiteOrNull(x: number | undefined): number | null {
  return x !== undefined && Number.isFinite(x) ? x : null;
}
