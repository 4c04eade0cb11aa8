import {
  isConstant,
  type Interval,
  compare,
  type ColumnTest,
  evidenceRules,
  withinRates,
  meanInterval,
  mean,
  sem,
  std,
} from "#packages/statistics";
import type { TableCell, Estimate } from "../table.ts";
import { hasDiverged, remarkOn } from "./footnotes.ts";
import type { FullOptions } from "./options.ts";
import { runsIn, type Panel } from "./panels.ts";
import type { LaidRow } from "./rows.ts";

/** A panel with the finite values of each row. */
export type Sampled = { panel: Panel; samples: number[][] };

export function samplePanel(panel: Panel, rows: readonly LaidRow[]): Sampled {
  const samples = rows.map((row) =>
    runsIn(row, panel)
      .map((run) => panel.value(run))
      .filter((x) => Number.isFinite(x)),
  );
  return { panel, samples };
}

export type Filled = {
  cells: TableCell[];
  test: ColumnTest | undefined;
  /** Compared rows with identical values for all seeds: they have no t-test. */
  constant: LaidRow[];
};

type Filling = {
  rows: readonly LaidRow[];
  options: FullOptions;
  baseline: LaidRow | undefined;
  /** First panel of the environment. */
  main: Sampled | undefined;
  intervals: ReadonlyMap<readonly number[], Interval>;
  markOf: (text: string) => string;
};

/** Fills one column: every row's cell, compared with the baseline's. */
export function fillPanel({ panel, samples }: Sampled, filling: Filling): Filled {
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
  // Collapsed seeds make the values bimodal and inflate the variance of a t-test.
  return asked === "auto" ? (hasCollapses ? "permutation" : "welch") : asked;
}

/**
 * Mean and spread over the seeds of one cell; no interval below three. @param byBootstrap bootstrap interval; undefined
 * if it has none, or another is requested @param isRate clips t intervals of rates to [0, 1]
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
