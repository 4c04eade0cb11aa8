import {
  bootstrapAll,
  type ColumnTest,
  compare,
  evidenceRules,
  type Interval,
  isConstant,
  mean,
  meanInterval,
  median,
  sem,
  std,
  withinRates,
} from "#packages/statistics";
import { type Drawn, looksWithin } from "#server/domain/runs/looks.ts";
import { groupBy, type NumberFormat } from "#packages/base";
import { type Estimate, type TableCell, rankValue } from "#packages/tables";
import { averager, findAveraged } from "./average.ts";
import { formatFor } from "./columnParts.ts";
import { hasDiverged, makeMarks, remarkOn } from "./footnotes.ts";
import type { BuilderRun } from "./input.ts";
import type { Layout } from "./layout.ts";
import type { FullOptions } from "./options.ts";
import { type Panel, runsIn } from "./panels.ts";
import type { LaidRow } from "./rows.ts";

/** Numbers of a results table, which do not depend on wording. */
export type Numbers = {
  layout: Layout;
  panels: Panel[];
  rows: RowNumbers[];
  formats: NumberFormat[];
  footnotes: { mark: string; text: string }[];
  /** Averaged columns; empty if no average is shown. */
  averaged: Panel[];
  /** Tests in columns whose metric has a better direction: only there can a method be better. */
  tests: ReadonlySet<ColumnTest>;
  hasStars: boolean;
  /** Names of cells in which all seeds have the same value: "GRPO in ALFWorld". */
  constants: string[];
  numCheckpoints: number;
};

export type RowNumbers = {
  row: LaidRow;
  cells: TableCell[];
  average: TableCell;
  /** Differences from the baseline; undefined if they are not requested, and for the baseline itself. */
  change: { cells: TableCell[]; average: TableCell } | undefined;
  /** Minimum and maximum number of seeds over the row's environments. */
  count: { fewest: number; most: number };
  collapses: TableCell;
  runIds: string[];
};

export function computeTable(layout: Layout): Numbers {
  const { rows, environments, options, form, baseline } = layout;
  const panels = form.listPanels(rows, environments, options);
  const sampled = panels.map((panel) => samplePanel(panel, rows));
  const mainOf = new Map(sampled.filter(({ panel }) => panel.isMain).map((one) => [one.panel.environment, one]));
  const samples = options.interval === "bootstrap" ? sampled.flatMap((one) => one.samples) : [];
  const intervals: ReadonlyMap<readonly number[], Interval> = bootstrapIntervals(samples);
  const { markOf, list } = makeMarks();
  const columns = sampled.map((one) => {
    const main = mainOf.get(one.panel.environment);
    return fillPanel(one, { rows, options, baseline, main, intervals, markOf });
  });
  const directed = columns.filter((_, c) => panels[c]?.metric.better !== "none");
  const averaged = findAveraged(panels, options);
  const cellsOf = (r: number) => columns.map(({ cells }): TableCell => cells[r] ?? { kind: "missing" });
  const averageIn = averager(panels, averaged, options.averageOf);
  const base = baseline && options.change !== "none" ? cellsOf(rows.indexOf(baseline)) : undefined;
  return {
    layout,
    panels,
    rows: rows.map((row, r) => {
      const cells = cellsOf(r);
      const average = averageIn(cells);
      const runs =
        form.rows === "joined"
          ? environments.flatMap((environment) => row.runs.get(environment) ?? [])
          : row.cells.flatMap((cell) => cell.runs);
      return {
        row,
        cells,
        average,
        change:
          base === undefined || row === baseline
            ? undefined
            : {
                cells: cells.map((cell, c) => changeTo(cell, base[c], options.change)),
                average: changeTo(average, averageIn(base), options.change),
              },
        count: countSeeds(row, panels),
        collapses: countCollapses(runs),
        runIds: runs.map(({ runId }) => runId),
      };
    }),
    formats: sampled.map(({ panel, samples }, c) => {
      const cells = columns[c]?.cells.map((cell) => rankValue(cell) ?? NaN) ?? [];
      const main = mainOf.get(panel.environment)?.samples.flat() ?? [];
      return panel.format?.({ cells, runs: samples.flat(), main }) ?? formatFor(panel.metric, cells);
    }),
    footnotes: list(),
    averaged,
    tests: new Set(directed.flatMap(({ test }) => test ?? [])),
    hasStars: directed.some(({ cells }) => cells.some((cell) => cell.kind === "estimate" && cell.stars !== "")),
    constants: columns.flatMap(({ constant }, c) => constant.map(({ key }) => `${key} in ${sayColumn(panels[c])}`)),
    numCheckpoints: countCheckpoints(rows, panels),
  };
}

function countCollapses(runs: readonly BuilderRun[]): TableCell {
  const judged = runs.flatMap(({ collapse }) => collapse ?? []);
  if (judged.length === 0) return { kind: "missing" };
  return { kind: "share", k: judged.filter(({ hasCollapsed }) => hasCollapsed).length, n: judged.length };
}

function sayColumn({ header = "", environment }: Partial<Panel> = {}): string {
  return header === environment ? header : `${header}, ${environment}`;
}

/**
 * Returns the difference from the baseline's number. Missing if either number is, or if a percentage of almost zero
 * would be meaningless.
 */
function changeTo(
  cell: TableCell | undefined,
  base: TableCell | undefined,
  of: "none" | "relative" | "points",
): TableCell {
  const [x, b] = [cell, base].map((one) =>
    one?.kind === "estimate" ? one.mean : one?.kind === "number" && !one.partOf ? one.value : NaN,
  );
  if (x === undefined || b === undefined || Number.isNaN(x - b)) return { kind: "missing" };
  if (of === "points") return { kind: "change", value: x - b, of: "points" };
  return Math.abs(b) < 1e-9
    ? { kind: "missing" }
    : { kind: "change", value: (100 * (x - b)) / Math.abs(b), of: "percent" };
}

function countSeeds(row: LaidRow, panels: readonly Panel[]): { fewest: number; most: number } {
  const counts = panels
    .filter(({ isMain, environment }) => isMain && (environment === undefined || row.runs.has(environment)))
    .map((panel) => runsIn(row, panel).filter((run) => Number.isFinite(panel.value(run))).length);
  return counts.length === 0 ? { fewest: 0, most: 0 } : { fewest: Math.min(...counts), most: Math.max(...counts) };
}

/** Returns the number of evaluations after iteration 0, as the median over runs. */
function countCheckpoints(rows: readonly LaidRow[], panels: readonly Panel[]): number {
  const lengths = panels
    .filter(({ isMain }) => isMain)
    .flatMap((panel) => rows.flatMap((row) => runsIn(row, panel).map(({ readings }) => readings.get(panel.metricKey))))
    .map((reading) => reading?.numEvaluations ?? 0);
  return median(lengths);
}

type Sample = readonly number[];

// Maximum number of samples at once: 10,000 means of each are stored until its interval is computed.
const maxAtOnce = 200;

/**
 * Computes intervals identical to those of `bootstrap`; samples of equal size share resampled indices. Below five seeds
 * there is none: a 95 % interval would cover 75 % with three seeds and 85 % with five.
 */
function bootstrapIntervals(samples: readonly Sample[]): ReadonlyMap<Sample, Interval> {
  const large = samples.filter(({ length }) => length >= evidenceRules.forStars);
  const intervals = new Map<Sample, Interval>();
  for (const [size, all] of groupBy(large, ({ length }) => length)) {
    for (let from = 0; from < all.length; from += maxAtOnce) {
      const some = all.slice(from, from + maxAtOnce);
      const boots = bootstrapAll([Array.from({ length: size }, (_, i) => i)], ([indices = []]) =>
        some.map((sample) => meanAt(sample, indices)),
      );
      for (const [i, { interval }] of boots.entries()) intervals.set(some[i] ?? [], interval);
    }
  }
  return intervals;
}

/** Returns the mean of a sample at resampled indices, added in the order of `mean` for identical results. */
function meanAt(sample: Sample, indices: readonly number[]): number {
  if (indices.length === 0) return mean([]);
  let sum = 0;
  for (const index of indices) sum += sample[index] ?? NaN;
  return sum / indices.length;
}

/** A column with the finite values of each row's runs. */
type Sampled = { panel: Panel; samples: number[][] };

function samplePanel(panel: Panel, rows: readonly LaidRow[]): Sampled {
  const samples = rows.map((row) =>
    runsIn(row, panel)
      .map((run) => panel.value(run))
      .filter((x) => Number.isFinite(x)),
  );
  return { panel, samples };
}

/** Runs with a value, as they were drawn. */
function drawnIn(row: LaidRow | undefined, panel: Panel): Drawn[] {
  const runs = row ? runsIn(row, panel) : [];
  return runs.flatMap((run) => (Number.isFinite(panel.value(run)) ? (run.drawn ?? []) : []));
}

type Filled = {
  cells: TableCell[];
  test: ColumnTest | undefined;
  /** Rows in which all seeds have the same value, so that there is no t-test. */
  constant: LaidRow[];
};

type Filling = {
  rows: readonly LaidRow[];
  options: FullOptions;
  baseline: LaidRow | undefined;
  /** First column of the same environment. */
  main: Sampled | undefined;
  intervals: ReadonlyMap<readonly number[], Interval>;
  markOf: (text: string) => string;
};

function fillPanel({ panel, samples }: Sampled, filling: Filling): Filled {
  const { rows, options, baseline, main, intervals, markOf } = filling;
  const { cell } = panel;
  if (cell) return { cells: rows.map((row) => cell(runsIn(row, panel))), test: undefined, constant: [] };
  const collapsed = rows.map((row) => runsIn(row, panel).filter(({ collapse }) => collapse?.hasCollapsed).length);
  const test = toTest(
    options.test,
    collapsed.some((k) => k > 0),
  );
  const base = baseline === undefined ? -1 : rows.indexOf(baseline);
  const sides = {
    samples: samples.filter((_, r) => r !== base),
    baseline: samples[base] ?? [],
    better: panel.metric.better,
    looks: rows
      .filter((_, r) => r !== base)
      .map((row) => looksWithin([[drawnIn(row, panel), drawnIn(rows[base], panel)]])),
  };
  const compared = test === undefined ? [] : compare(sides, test);
  const isRate = panel.metric.unit === "fraction";
  const cells = rows.map((row, r): TableCell => {
    const runs = runsIn(row, panel);
    const values = samples[r] ?? [];
    const repeated = row.repeated.get(panel.environment ?? "") ?? [];
    const remark = remarkOn(runs, panel, { rule: options.rule, repeated });
    const hasRemark = remark !== "" && (panel.isMain || values.length !== (main?.samples[r]?.length ?? 0));
    const marks = hasRemark ? [markOf(remark)] : [];
    if (values.length === 0) return { kind: "missing", marks, ...(hasDiverged(runs) && { isDiverged: true }) };
    const comparison = r === base ? undefined : compared[base >= 0 && r > base ? r - 1 : r];
    const numCollapsed = options.collapse === "marks" && panel.isMain ? (collapsed[r] ?? 0) : 0;
    const estimated = estimate(values, options.interval, { byBootstrap: intervals.get(values), isRate });
    return { kind: "estimate", ...estimated, marks, ...comparison, ...(numCollapsed > 0 && { numCollapsed }) };
  });
  const constant = base >= 0 && test !== undefined ? rows.filter((_, r) => isConstant(samples[r] ?? [])) : [];
  return { constant, cells, test: compared.some((comparison) => comparison !== undefined) ? test : undefined };
}

function toTest(asked: FullOptions["test"], hasCollapses: boolean): ColumnTest | undefined {
  if (asked === "none") return undefined;
  // Collapsed seeds make the values bimodal, which inflates the variance in a t-test.
  return asked === "auto" ? (hasCollapses ? "permutation" : "welch") : asked;
}

/**
 * Computes mean and spread of one cell; no interval below three seeds.
 * @param byBootstrap undefined if there is none, or another kind is requested
 * @param isRate clips t intervals of rates to [0, 1]
 */
function estimate(
  values: readonly number[],
  interval: FullOptions["interval"],
  { byBootstrap, isRate }: { byBootstrap: Interval | undefined; isRate: boolean },
): Omit<Estimate, "marks"> {
  const n = values.length;
  const moments = { mean: mean(values), std: std(values), n, stars: "" } as const;
  const { halfWidth } = meanInterval(values);
  const around =
    n >= evidenceRules.forIntervals ? { low: moments.mean - halfWidth, high: moments.mean + halfWidth } : undefined;
  const byT = around && (isRate ? withinRates(around) : around);
  const range = interval === "bootstrap" ? byBootstrap : byT;
  return { ...moments, ...(range && { interval: range }), shown: toShown() };

  function toShown(): Estimate["shown"] {
    switch (interval) {
      case "none":
        return { kind: "none" };
      case "std":
        return n >= 2 ? { kind: "plusMinus", value: moments.std } : { kind: "none" };
      case "sem":
        return byT ? { kind: "plusMinus", value: sem(values) } : { kind: "none" };
      case "t":
        if (!byT) return { kind: "none" };
        return byT.low !== around.low || byT.high !== around.high
          ? { kind: "interval", ...byT }
          : { kind: "interval", ...byT, halfWidth };
      case "bootstrap":
        return range ? { kind: "interval", ...range } : { kind: "none" };
    }
  }
}
