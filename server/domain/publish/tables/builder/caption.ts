import { canonicalJson } from "#trainer/spec/canonical.ts";
import { describeMetric } from "#trainer/spec/metric.ts";
import {
  evidenceRules,
  explainEvidence,
  judgeEvidence,
  warnOfSelection,
  median,
  type ColumnTest,
} from "#packages/statistics";
import { collapseSentence } from "#packages/detector";
import { usualSampling } from "#server/domain/trainers/import/foreignRun.ts";
import { isStated } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { metricsOf, type FullOptions, type FullWording } from "./options.ts";
import { unitOf } from "./columnParts.ts";
import type { BuilderRun } from "./input.ts";
import type { LaidRow } from "./rows.ts";
import { formatCount, groupBy } from "#packages/base";

/** Facts for caption and notes, collected after all numbers are computed. */
export type Facts = {
  sweepNames: readonly string[];
  rows: readonly LaidRow[];
  runs: readonly BuilderRun[];
  /** Minimum and maximum number of seeds over a row's cells, by row. */
  counts: ReadonlyMap<string, { fewest: number; most: number }>;
  baseline: LaidRow | undefined;
  /** Tests in columns whose metric has a better direction. */
  tests: ReadonlySet<ColumnTest>;
  averaged: readonly string[];
  hasStars: boolean;
  hasEmpty: boolean;
  /** Names of cells in which all seeds have the same value. */
  constants: readonly string[];
  numCheckpoints: number;
  /** True if a column has numbers of several tasks, which are not ranked together. */
  areSeveralTasks: boolean;
  options: FullOptions;
  wording: FullWording;
};

/** Writes the author's words or the metric's title, then the meaning of numbers, ± and marks. */
export function writeCaption(facts: Facts): string {
  const { options, wording, sweepNames } = facts;
  const lead = wording.caption.trim() || `${metricsOf(options).map(titleOf).join(", ")}: ${sweepNames.join(" and ")}.`;
  return [
    /[.!?]$/.test(lead) ? lead : `${lead}.`,
    `${describeNumbers(facts)}.`,
    ...(wording.marks ? [`${tellMarks(facts)}.`] : []),
    ...describeStars(facts),
    ...(options.collapse === "column" ? ["Coll.: number of collapsed seeds among the judged seeds."] : []),
    ...(options.collapse === "marks" ? ["†k: k seeds collapsed."] : []),
    ...(facts.averaged.length > 0 ? [`Avg.: mean over ${facts.averaged.join(", ").replace(/\.$/, "")}.`] : []),
    ...describeChange(facts),
  ].join(" ");
}

/** Describes which values are marked. Environments and evaluation sets are tasks. */
export function tellMarks({ areSeveralTasks }: Facts): string {
  return `Best bold, second underlined, per column${areSeveralTasks ? " and task (environment and evaluation set)" : ""}`;
}

const spreads: Record<FullOptions["interval"], string> = {
  std: "Mean ± standard deviation (sd)",
  sem: "Mean ± standard error",
  t: "Mean [95 % CI (t)]",
  bootstrap: "Mean [95 % percentile bootstrap interval]",
  none: "Mean",
};

export function titleOf(metricKey: string): string {
  const metric = describeMetric(metricKey);
  const unit = unitOf(metric);
  return unit === "" ? metric.title : `${metric.title} (${unit})`;
}

/** Describes a checkpoint rule. Evaluations have a number of episodes; training metrics are logged values. */
export function describeRule(rule: FullOptions["rule"], metrics: readonly string[], of = ""): string {
  const areEvaluated = metrics.every((key) => /^(?:evaluation|taskSuccess|unseenTaskSuccess)\//.test(key));
  const [one, many] = areEvaluated ? [`evaluation${of}`, `evaluations${of}`] : ["logged value", "logged values"];
  return { final: `final window: the last 10 % of ${many}, at least 3`, best: `best ${one}`, last: `last ${one}` }[
    rule
  ];
}

function describeNumbers({ options, counts, rows }: Facts): string {
  const all = [...counts.values()];
  const fewest = Math.min(...all.map((count) => count.fewest));
  const most = Math.max(...all.map((count) => count.most));
  const seeds = all.length === 0 ? "seeds" : fewest === most ? formatCount(most, "seed") : `n seeds`;
  const episodes = new Set(rows.flatMap(({ cells }) => cells.map(({ spec }) => numEpisodes(spec))));
  const [only] = episodes;
  const of = episodes.size === 1 && only !== undefined ? ` of ${only} episodes` : "";
  const { interval, rule } = options;
  return `${describeSpread(interval, { fewest, most })} over ${seeds} (${describeRule(rule, metricsOf(options), of)})`;
}

/** Describes the spread beside means, or why it is missing with too few seeds. */
function describeSpread(interval: FullOptions["interval"], { fewest, most }: { fewest: number; most: number }): string {
  const least = leastSeeds[interval];
  if (!Number.isFinite(most) || fewest >= least) return spreads[interval];
  const [mean, spread] = [spreads.none, spreads[interval].slice(spreads.none.length)];
  return most < least
    ? `${mean} (no ${spread.replaceAll(/^ (?:± )?\[?|\]$/g, "")}: that needs at least ${least} seeds)`
    : `${spreads[interval]} (where there are at least ${least} seeds)`;
}

const leastSeeds: Record<FullOptions["interval"], number> = {
  none: 0,
  std: 2,
  sem: evidenceRules.forIntervals,
  t: evidenceRules.forIntervals,
  bootstrap: evidenceRules.forStars,
};

/**
 * Returns the number of evaluation episodes. Undefined if unknown: imports without sizes are stored with defaults,
 * which are not facts.
 */
function numEpisodes(spec: LaidRow["cells"][number]["spec"]): number | undefined {
  if (!isImported(spec)) return spec.evaluation.numEpisodes;
  return canonicalJson(spec.sampling) === canonicalJson(usualSampling) ? undefined : spec.sampling.numHeldOut;
}

const testNames: Record<ColumnTest, string> = {
  welch: "Welch's t-test",
  permutation: "a permutation test of means",
  mannWhitney: "a Mann–Whitney test",
};

function describeStars({ baseline, tests, hasStars }: Facts): string[] {
  if (!baseline || tests.size === 0 || !hasStars) return [];
  // Several tests occur only if collapses choose the test: columns with collapsed seeds then have the permutation test.
  const last = (test: ColumnTest): number => (test === "permutation" ? 1 : 0);
  const inOrder = [...tests].sort((a, b) => last(a) - last(b));
  const names = inOrder.map((test) => testNames[test]).join(" or, where seeds collapsed, ");
  return [
    `*: better than ${baseline.key} at p < .05 (** .01, *** .001) by ${names}, two-sided, with Holm's correction over the rows of a column; rows of fewer than ${evidenceRules.forStars} seeds get no stars.`,
  ];
}

function describeChange({ options, baseline }: Facts): string[] {
  if (options.change === "none" || !baseline) return [];
  return [
    options.change === "relative"
      ? `Δ: difference to ${baseline.key}, in percent of its mean.`
      : `Δ: difference to ${baseline.key} in the column's unit.`,
  ];
}

export function writeNotes(facts: Facts): string[] {
  const { options, baseline } = facts;
  return [
    ...(options.rule === "best" ? [`${upperFirst(describeBias(facts))}.`] : []),
    ...describeEvidence(facts),
    ...(options.interval === "bootstrap" && [...facts.counts.values()].some(({ fewest }) => fewest < 5)
      ? ["Bootstrap intervals of fewer than five seeds are not shown, because they cover far less than 95 %."]
      : []),
    ...(facts.constants.length > 0
      ? [
          `Constant over seeds: ${facts.constants.join("; ")}. Constant results have no t-test. The permutation and ` +
            "Mann–Whitney tests need no spread, but a difference between two constant results gets no stars.",
        ]
      : []),
    ...(baseline && facts.tests.size > 0 && !facts.hasStars && [...facts.counts.values()].some(({ most }) => most >= 5)
      ? [`No stars: no row with at least five seeds is better than ${baseline.key} at p < .05 after Holm's correction.`]
      : []),
    ...(options.collapse === "none" ? [] : [collapseSentence, ...describeUnclear(facts)]),
    ...describeStated(facts),
    ...(facts.hasEmpty ? ["–: not run, or no value."] : []),
  ];
}

/** Lists unclear labels by method and setting: "Unclear in hindsight, counted as not collapsed: GRPO 3 of 5." */
export function describeUnclear({ rows }: Pick<Facts, "rows">): string[] {
  const named = groupBy(rows, ({ method, setting }) => [method, setting].filter(Boolean).join(" · "));
  const listed = [...named].flatMap(([name, alike]) => {
    const judged = alike.flatMap(({ runs }) => [...runs.values()].flat().flatMap(({ collapse }) => collapse ?? []));
    const numUnclear = judged.filter(({ isUnclear }) => isUnclear).length;
    return numUnclear === 0 ? [] : `${name} ${numUnclear} of ${judged.length}`;
  });
  return listed.length === 0 ? [] : [`Unclear in hindsight, counted as not collapsed: ${listed.join(", ")}.`];
}

function describeStated({ rows }: Facts): string[] {
  const stated = rows.filter(({ cells }) => cells.some(({ spec }) => isStated(spec)));
  if (stated.length === 0) return [];
  const who = stated.length === rows.length ? "All rows" : stated.map(({ key }) => key).join(", ");
  return [`${who}: a person entered the configuration of these imported runs, because no file recorded it.`];
}

function describeBias({ rows, numCheckpoints, options }: Facts): string {
  const episodes = rows.flatMap(({ cells }) => cells.flatMap(({ spec }) => numEpisodes(spec) ?? []));
  const areRates = metricsOf(options).every((key) => key.endsWith("successRate"));
  if (!areRates || !(numCheckpoints > 0) || episodes.length === 0) {
    return "best: selected on the same data that it is reported on, so biased upwards";
  }
  return warnOfSelection({
    numEpisodes: Math.round(median(episodes)),
    numCheckpoints: Math.max(1, Math.round(numCheckpoints)),
  });
}

function describeEvidence({ counts }: Facts): string[] {
  const weak = [...counts].filter(([, { fewest }]) => judgeEvidence(fewest) !== "full" && fewest > 0);
  return [...groupBy(weak, ([, { fewest }]) => fewest)].map(([fewest, rows]) => {
    const who = rows.length === counts.size ? "All rows" : rows.map(([key]) => key).join(", ");
    return `${who}: ${explainEvidence(fewest)}${fewest < 3 ? "" : ", and are never starred"}.`;
  });
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
