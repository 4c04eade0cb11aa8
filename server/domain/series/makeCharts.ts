import { countsEpochs } from "#trainer/spec/event.ts";
import type { Chart, ChartBand, ChartDelta, ChartLine, RunMark } from "./chartData.ts";
import { downsample, downsampleGroup, maxMarks } from "./downsample.ts";
import { groupByIteration, type Group } from "./group.ts";
import { describeNonFinite, type Curve, type Series } from "./series.ts";

export type ChartCell = { cellId: number; runIds: readonly string[] };

export type ChartOptions = {
  /** Lines of single runs beside the bands. */
  seeds: boolean;
  /** Points a line or band may have at most, about. */
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
    return {
      key,
      bands: ofCells.map(({ cell, curves }) => makeBand(cell, groupByIteration(curves), options)),
      lines: options.seeds ? ofCells.flatMap(({ curves }) => curves.map((one) => makeLine(one, options))) : [],
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
        const group = groupByIteration(seriesOf(key, cell));
        return ofCell.length === 0 ? [] : [makeBandDelta(cell, { group, news: ofCell }, options)];
      }),
      lines: options.seeds ? cells.flatMap((cell) => makeLineDeltas(seriesOf(key, cell), newsOf, options)) : [],
      nonFinite: news.flatMap(listMarks).slice(0, maxMarks),
      restarted: news.filter((one) => one.isWhole).map((one) => one.runId),
    };
  });
  return deltas.filter(({ bands, restarted }) => bands.length > 0 || restarted.length > 0);
}

type News = Series & { isWhole: boolean };

type Grown = { group: Group; news: readonly News[] };

function makeBandDelta(cell: ChartCell, { group, news }: Grown, options: ChartOptions) {
  const start = news.some((one) => one.isWhole) ? 0 : findStart(group.iterations, news);
  if (start === 0 || group.iterations.length - start > options.maxPoints) {
    return { ...makeBand(cell, group, options), isWhole: true };
  }
  const stretch = toBand(cell, sliceGroup(group, start), group);
  return { ...stretch, numPoints: listFinite(group.mean).length, isWhole: false };
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

function makeBand(cell: ChartCell, group: Group, { maxPoints }: ChartOptions): ChartBand {
  return toBand(cell, downsampleGroup(group, maxPoints), group);
}

/** One run's line, reduced. */
export function makeLine({ runId, ...curve }: Series, { maxPoints }: Pick<ChartOptions, "maxPoints">): ChartLine {
  return toLine(runId, downsample(curve, maxPoints), curve);
}

function toBand({ cellId }: ChartCell, drawn: Group, group: Group): ChartBand {
  const kept = listFinite(drawn.mean);
  return {
    cellId,
    means: kept.map((i) => drawn.mean[i] ?? NaN),
    stds: kept.map((i) => finiteOrNull(drawn.std[i])),
    counts: kept.map((i) => drawn.n[i] ?? 0),
    ...describeStretch(
      { iterations: drawn.iterations, values: drawn.mean },
      { iterations: group.iterations, values: group.mean },
    ),
  };
}

function toLine(runId: string, drawn: Curve, whole: Curve): ChartLine {
  const values = listFinite(drawn.values).map((i) => drawn.values[i] ?? NaN);
  return { runId, values, ...describeStretch(drawn, whole) };
}

/** Where a drawn curve is interrupted: at its own non-finite points, and where the full one misses steps. */
function describeStretch(drawn: Curve, full: Curve): Omit<ChartBand, "cellId" | "means" | "stds" | "counts"> {
  const cadence = medianGap(full.iterations);
  const kept = listFinite(drawn.values);
  const iterations = kept.map((i) => drawn.iterations[i] ?? 0);
  const gaps = listGaps(full.iterations, cadence);
  const breaks = iterations.filter((iteration, at) => {
    const index = kept[at] ?? 0;
    const next = kept[at + 1];
    if (next === undefined) return false;
    const end = drawn.iterations[next] ?? 0;
    return next > index + 1 || gaps.some((gap) => gap >= iteration && gap < end);
  });
  return { iterations, breaks, cadence, numPoints: listFinite(full.values).length };
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
  for (const [i, x] of values.entries()) if (Number.isFinite(x)) indices.push(i);
  return indices;
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

function sliceGroup(group: Group, start: number): Group {
  const { iterations, mean, std, min, max, n, numNonFinite } = group;
  return {
    iterations: iterations.slice(start),
    mean: mean.slice(start),
    std: std.slice(start),
    min: min.slice(start),
    max: max.slice(start),
    n: n.slice(start),
    numNonFinite: numNonFinite.slice(start),
  };
}

function finiteOrNull(x: number | undefined): number | null {
  return x !== undefined && Number.isFinite(x) ? x : null;
}
