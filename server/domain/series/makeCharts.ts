import { countsEpochs, describeMetric } from "#trainer/spec/metric.ts";
import { isRate } from "#server/domain/spread/spread.ts";
import { withinRates } from "#server/domain/statistics/rates.ts";
import type { Chart, ChartBand, ChartDelta, ChartLine, RunMark } from "./chartData.ts";
import type { Aggregate } from "./aggregate.ts";
import { downsample, selectIndices } from "./downsample.ts";
import { summariseSeeds, type SeedSummary } from "./seedSummary.ts";
import { describeNonFinite, type Curve, type Series } from "./series.ts";

export type ChartCell = { cellId: number; runIds: readonly string[] };

/** Points that are not finite are events: they are never thinned, and beyond so many counted. */
export const maxMarks = 500;

export type ChartOptions = {
  /** What stands for the seeds of a configuration. */
  aggregate: Aggregate;
  /** Lines of single runs beside the bands. */
  seeds: boolean;
  /** Points a line or band may have at most, about; many lines of single runs have fewer. */
  maxPoints: number;
  /** Iterations wanted, both ends included. */
  range: { from: number; to: number } | null;
};

type Request = { cells: readonly ChartCell[]; keys: readonly string[]; options: ChartOptions };

/** One chart per key, in the order asked for: seeds of a cell grouped by iteration, then reduced, extrema kept. */
export function makeCharts(series: readonly Series[], { cells, keys, options }: Request): Chart[] {
  const seriesOf = indexSeries(series, options);
  return keys.map((key) => {
    const ofCells = cells
      .map((cell) => ({ cell, curves: seriesOf(key, cell) }))
      .filter(({ curves }) => curves.length > 0);
    const marks = ofCells.flatMap(({ curves }) => curves.flatMap(listMarks));
    const ofRuns = options.seeds ? ofCells.flatMap(({ curves }) => curves) : [];
    const maxPoints = pointsOfLine(ofRuns.length, options);
    return {
      key,
      bands: ofCells.map(({ cell, curves }) => makeBand(cell, summarise(key, curves, options), options)),
      lines: ofRuns.map((one) => makeLine(one, { maxPoints })),
      nonFinite: marks.slice(0, maxMarks),
      numUnlisted: Math.max(0, marks.length - maxMarks),
    };
  });
}

/**
 * What `changed` (points since the reader's last look) changes, given `whole`, the full series of every run of the
 * cells concerned: a new point of one seed moves the mean of its cell.
 */
export function makeDeltas(
  changed: readonly (Series & { isWhole: boolean })[],
  whole: readonly Series[],
  { cells, keys, options }: Request,
): ChartDelta[] {
  const seriesOf = indexSeries(whole, options);
  const deltas = keys.map((key) => {
    const news = changed.filter((one) => one.key === key).map((one) => ({ ...one, ...within(one, options) }));
    const newsOf = (runIds: readonly string[]) => news.filter((one) => runIds.includes(one.runId));
    return {
      key,
      bands: cells.flatMap((cell) => {
        const ofCell = newsOf(cell.runIds);
        if (ofCell.length === 0) return [];
        const seeds = summarise(key, seriesOf(key, cell), options);
        return [makeBandDelta(cell, { seeds, news: ofCell }, options)];
      }),
      lines: options.seeds ? cells.flatMap((cell) => makeLineDeltas(seriesOf(key, cell), newsOf, options)) : [],
      nonFinite: news.flatMap(listMarks).slice(0, maxMarks),
      restarted: news.filter((one) => one.isWhole).map((one) => one.runId),
    };
  });
  return deltas.filter(({ bands, restarted }) => bands.length > 0 || restarted.length > 0);
}

/** The band of a rate ends at 0 and 1. */
function summarise(key: string, curves: readonly Curve[], { aggregate }: ChartOptions): SeedSummary {
  const seeds = summariseSeeds(curves, aggregate);
  if (!isRate(describeMetric(key))) return seeds;
  const edgesAt = (index: number) => {
    const edges = seeds.edgesAt(index);
    return edges && withinRates(edges);
  };
  return { ...seeds, edgesAt };
}

type News = Series & { isWhole: boolean };

type Grown = { seeds: SeedSummary; news: readonly News[] };

function makeBandDelta(cell: ChartCell, { seeds, news }: Grown, options: ChartOptions) {
  const start = news.some((one) => one.isWhole) ? 0 : findStart(seeds.iterations, news);
  if (start === 0 || seeds.iterations.length - start > options.maxPoints) {
    return { ...makeBand(cell, seeds, options), isWhole: true };
  }
  const indices = Int32Array.from({ length: seeds.iterations.length - start }, (_, i) => start + i);
  return { ...toBand(cell, seeds, indices), isWhole: false };
}

function makeLineDeltas(
  whole: readonly Series[],
  newsOf: (runIds: readonly string[]) => readonly News[],
  options: ChartOptions,
): (ChartLine & { isWhole: boolean })[] {
  return whole.flatMap((one): (ChartLine & { isWhole: boolean })[] => {
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

/** Index of the last point before the earliest news. */
function findStart(iterations: Int32Array, news: readonly News[]): number {
  const earliest = news.reduce((least, one) => Math.min(least, one.iterations[0] ?? Infinity), Infinity);
  return Math.max(0, iterations.findIndex((iteration) => iteration >= earliest) - 1);
}

function makeBand(cell: ChartCell, seeds: SeedSummary, { aggregate, maxPoints }: ChartOptions): ChartBand {
  const most = aggregate === "iqm" ? Math.min(maxPoints, mostBootstrapped) : maxPoints;
  return toBand(cell, seeds, selectIndices(seeds.iterations, seeds.extremes, most));
}

/** Points of a band whose edges are bootstrapped: ten configurations of forty seeds then take a second. */
const mostBootstrapped = 200;

/** Points that the lines of single runs share: where hundreds cross, nobody sees the detail of one before zooming in. */
const sharedPoints = 100_000;
/** Points that each of them may have, however many there are. */
const leastPoints = 200;

function pointsOfLine(numLines: number, { maxPoints }: Pick<ChartOptions, "maxPoints">): number {
  return Math.min(maxPoints, Math.max(leastPoints, Math.floor(sharedPoints / numLines)));
}

/** One run's line, reduced. */
export function makeLine({ runId, ...curve }: Series, { maxPoints }: Pick<ChartOptions, "maxPoints">): ChartLine {
  return toLine(runId, downsample(curve, maxPoints), curve);
}

function toBand({ cellId }: ChartCell, seeds: SeedSummary, indices: Int32Array): ChartBand {
  const { iterations, values, n } = seeds;
  const drawn = { iterations: indices.map((i) => iterations[i] ?? 0), values: pickValues(values, indices) };
  const kept = [...indices].filter((i) => Number.isFinite(values[i]));
  const edges = kept.map(seeds.edgesAt);
  return {
    cellId,
    values: kept.map((i) => values[i] ?? NaN),
    lows: edges.map((edge) => finiteOrNull(edge?.low)),
    highs: edges.map((edge) => finiteOrNull(edge?.high)),
    counts: kept.map((i) => n[i] ?? 0),
    ...describeStretch(drawn, { iterations, values }),
  };
}

function pickValues(values: Float64Array, indices: Int32Array): Float64Array {
  return Float64Array.from(indices, (i) => values[i] ?? NaN);
}

function toLine(runId: string, drawn: Curve, whole: Curve): ChartLine {
  const values = listFinite(drawn.values).map((i) => drawn.values[i] ?? NaN);
  return { runId, values, ...describeStretch(drawn, whole) };
}

/** Where a drawn curve is interrupted: at its own non-finite points, and where the full one misses steps. */
function describeStretch(
  drawn: Curve,
  full: Curve,
): Pick<ChartBand, "iterations" | "breaks" | "cadence" | "numPoints"> {
  const { cadence, gaps } = stepsOf(full.iterations);
  const kept = listFinite(drawn.values);
  const iterations = kept.map((i) => drawn.iterations[i] ?? 0);
  const breaks = iterations.filter((iteration, at) => {
    const index = kept[at] ?? 0;
    const next = kept[at + 1];
    if (next === undefined) return false;
    const end = drawn.iterations[next] ?? 0;
    return next > index + 1 || gaps.some((gap) => gap >= iteration && gap < end);
  });
  return { iterations, breaks, cadence, numPoints: countFinite(full.values) };
}

type Steps = { cadence: number; gaps: readonly number[] };

// Most runs of a sweep share one array of iterations, which nobody changes: four hundred lines ask of it once.
const known = new WeakMap<Int32Array, Steps>();

function stepsOf(iterations: Int32Array): Steps {
  const before = known.get(iterations);
  if (before !== undefined) return before;
  const cadence = medianGap(iterations);
  const steps = { cadence, gaps: listGaps(iterations, cadence) };
  known.set(iterations, steps);
  return steps;
}

/** Iterations after which more than one usual step is missing. */
function listGaps(iterations: Int32Array, cadence: number): number[] {
  const gaps: number[] = [];
  for (let i = 1; i < iterations.length; i++) {
    const before = iterations[i - 1] ?? 0;
    if ((iterations[i] ?? 0) - before > 1.5 * cadence) gaps.push(before);
  }
  return gaps;
}

function medianGap(iterations: Int32Array): number {
  const gaps = iterations.map((iteration, i) => iteration - (iterations[i - 1] ?? iteration)).subarray(1);
  return gaps.length === 0 ? 1 : Math.max(1, gaps.sort()[gaps.length >> 1] ?? 1);
}

function listFinite(values: Float64Array): number[] {
  const indices: number[] = [];
  for (let i = 0; i < values.length; i++) if (Number.isFinite(values[i])) indices.push(i);
  return indices;
}

function countFinite(values: Float64Array): number {
  let count = 0;
  for (let i = 0; i < values.length; i++) if (Number.isFinite(values[i])) count += 1;
  return count;
}

function listMarks({ runId, iterations, values }: Series): RunMark[] {
  const marks: RunMark[] = [];
  // By index: over every point of every run, an iterator's pairs cost more than all the rest of a chart.
  for (let i = 0; i < values.length; i++) {
    const x = values[i] ?? NaN;
    if (!Number.isFinite(x)) marks.push({ runId, iteration: iterations[i] ?? 0, kind: describeNonFinite(x) });
  }
  return marks;
}

function indexSeries(series: readonly Series[], options: ChartOptions) {
  const index = new Map(series.map((one) => [`${one.key} ${one.runId}`, one]));
  return (key: string, cell: ChartCell): Series[] =>
    cell.runIds.flatMap((runId) => {
      const one = index.get(`${key} ${runId}`);
      return one ? [{ ...one, ...within(one, options) }] : [];
    });
}

/** The part of a series in the range wanted; a range of iterations says nothing about epochs of cloning. */
export function within({ key, iterations, values }: Series, { range }: Pick<ChartOptions, "range">): Curve {
  if (!range || countsEpochs(key)) return { iterations, values };
  const isInside = (_: number, i: number) => (iterations[i] ?? 0) >= range.from && (iterations[i] ?? 0) <= range.to;
  return { iterations: iterations.filter(isInside), values: values.filter(isInside) };
}

function finiteOrNull(x: number | undefined): number | null {
  return x !== undefined && Number.isFinite(x) ? x : null;
}
