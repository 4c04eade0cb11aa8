import { countLabels, type CollapseCount } from "#packages/detector";
import { describeMetric } from "#trainer/spec/metric.ts";
import { formatCount, groupBy } from "#packages/base";
import {
  evidenceRules,
  rankWithIntervals,
  wilsonInterval,
  type Interval,
  spreadOf,
  writeSpread,
} from "#packages/statistics";
import { metricOf, unitOf } from "#server/domain/runs/table/field.ts";
import { isYesOrNo, type Study } from "./prepareStudy.ts";

export type RankedRow = {
  cellId: number;
  sweepId: string;
  method: string;
  label: string;
  n: number;
  mean: number;
  /** 95 % interval of the mean (Wilson's for yes-or-no outcomes, else t); undefined below three runs. */
  interval?: Interval | undefined;
  collapsed: CollapseCount;
  rank: number;
  /** Bootstrap interval; undefined if a configuration of the environment has fewer than three runs. */
  rankInterval?: Interval | undefined;
};

/** Configurations of one environment, best first. */
export type RankedTable = { environment: string; rows: RankedRow[] };

/** Returns the better direction; "up" if the metric defines none. */
export function directionOf(key: string): "up" | "down" {
  if (key === "collapsed") return "down";
  const metric = metricOf(key);
  return metric && describeMetric(metric.metric).better === "down" ? "down" : "up";
}

export function rankConfigurations(study: Pick<Study, "runs" | "columns" | "outcome">): RankedTable[] {
  const { runs, columns, outcome } = study;
  const environments = columns.find(({ key }) => key === "environment")?.values;
  const indices = [...runs.keys()].filter((run) => typeof outcome.values[run] === "number");
  const byEnvironment = groupBy(indices, (run) => String(environments?.[run] ?? ""));
  return [...byEnvironment].map(([environment, members]) => {
    const cells = [...groupBy(members, (run) => runs[run]?.cellId ?? 0).values()];
    const samples = cells.map((cell) => cell.map((run) => Number(outcome.values[run])));
    const ranks = rankWithIntervals(samples, directionOf(outcome.key));
    const hasIntervals = samples.every(({ length }) => length >= evidenceRules.forIntervals);
    const rows = cells.flatMap((cell, i): RankedRow[] => {
      const [place, first] = [ranks[i], runs[cell[0] ?? 0]];
      if (!place || !first) return [];
      const rankInterval = hasIntervals ? place.interval : undefined;
      return [{ ...describeCell(cell, { runs, outcome }), ...first, rank: place.rank, rankInterval }];
    });
    return { environment, rows: rows.sort((a, b) => a.rank - b.rank) };
  });
}

/** Names the first configurations of each environment, and how many others could have their rank. */
export function summariseRanks(tables: readonly RankedTable[], { key }: Pick<Study["outcome"], "key">): string {
  const unit = isYesOrNo(key) ? { unit: "fraction" } : unitOf(key);
  return tables
    .flatMap(({ environment, rows }) => {
      const [first] = rows;
      if (!first || rows.length < 2) return [];
      const where = tables.length > 1 ? `${environment}: ` : "";
      const tied = rows.filter(({ rank }) => rank === first.rank);
      const rest = rows.slice(tied.length);
      const isTie = tied.length > 1;
      const names = tied.map(({ method, label }) => [method, label].filter(Boolean).join(" "));
      const name = names.length > 2 ? `${names.length} configurations` : names.join(" and ");
      // Tied configurations have equal means, but their intervals differ.
      const value = writeSpread({ mean: first.mean, interval: isTie ? null : (first.interval ?? null) }, unit);
      if (rest.length === 0) return [`${where}All ${rows.length} configurations tie with ${value}.`];
      const numAlike = rest.filter(({ rankInterval }) => rankInterval && rankInterval.low <= 1).length;
      const others = !first.rankInterval
        ? `there are too few runs to tell ${isTie ? "them" : "it"} from the others`
        : numAlike === 0
          ? "no other could be first"
          : `${numAlike} of ${formatCount(rest.length, "other")} could be first as well`;
      return [`${where}${name} ${isTie ? "tie for" : "ranks"} first of ${rows.length} with ${value}; ${others}.`];
    })
    .join(" ");
}

function describeCell(cell: readonly number[], { runs, outcome }: Pick<Study, "runs" | "outcome">) {
  const values = cell.map((run) => Number(outcome.values[run]));
  const spread = spreadOf(values, unitOf(outcome.key));
  const isYes = (value: number) => value === 1;
  const ofShares = () =>
    values.length < evidenceRules.forIntervals ? undefined : wilsonInterval(values.filter(isYes).length, values.length);
  return {
    n: values.length,
    mean: spread.mean,
    interval: isYesOrNo(outcome.key) ? ofShares() : (spread.interval ?? undefined),
    collapsed: countLabels(cell.map((run) => runs[run]?.hindsight ?? "not judged")),
  };
}
