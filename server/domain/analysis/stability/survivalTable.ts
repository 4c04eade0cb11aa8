import { unclearSentence } from "#packages/detector";
import {
  type BareTable,
  type Column,
  type CsvValue,
  type Row,
  type TableCell,
  estimateCell,
  toCsvText,
} from "#packages/tables";
import { writeCollapses } from "#packages/detector";
import { formatP, groupBy, type NumberFormat, formatCount, tellP } from "#packages/base";
import {
  evidenceRules,
  explainEvidence,
  toStars,
  fewEvents,
  type LogRank,
  maxArrangements,
  type PairedEffect,
  normalQuantile,
  type RestrictedMean,
  type Interval,
} from "#packages/statistics";
import { boundCollapses } from "#server/domain/runs/headline/boundCollapses.ts";
import type { Against, SurvivalGroup, SurvivalReport, WatchedRun } from "#server/domain/analysis/stability/survival.ts";

const percent: NumberFormat = { shift: 2, decimals: 0 };
const oneDecimal: NumberFormat = { shift: 2, decimals: 1 };
const iterations: NumberFormat = { shift: 0, decimals: 1 };

/** Minimum number of pairs for an interval in tables up to tables-4. */
const minFormerPairs = 5;

type Former = {
  /** False: intervals of means may extend beyond the horizon, as in tables up to tables-3. */
  isCut: boolean;
  /** True: few pairs have no interval of their difference, as in tables up to tables-4. */
  isFormer: boolean;
  /** True: differences of success are a column, as in tables up to tables-7. */
  hasSuccessDifference: boolean;
};

const today: Former = { isCut: true, isFormer: false, hasSuccessDifference: false };

export function toSurvivalTable(report: SurvivalReport, former = today): BareTable {
  const { groups, baseline, horizon } = report;
  const base = groups.find(({ group }) => group === baseline);
  const tests = groups.map((group) => (report.numAwaited > 0 ? "" : formatLogRank(group, base)));
  return {
    caption: `Time to collapse, labelled in hindsight. Runs without a collapse are censored at their last iteration. Differences are to ${baseline}.`,
    columns: listColumns(horizon, former),
    rows: groups.map((group, i): Row => ({
      cells: listCells(group, tests[i] ?? "", former),
      runIds: [...group.runIds],
    })),
    notes: listNotes(report, tests),
    isUnmarked: true,
    isWide: true,
  };
}

/** Says which groups train longer or shorter without a collapse than the baseline; empty while labels are missing. */
export function summariseSurvival({ groups, baseline, numAwaited }: SurvivalReport): string {
  if (numAwaited > 0 || baseline === null) return "";
  const total = { numJudged: 0, numCollapsed: 0, numUnclear: 0 };
  for (const { numRuns, numCollapsed, numUnclear } of groups) {
    total.numJudged += numRuns;
    total.numCollapsed += numCollapsed;
    total.numUnclear += numUnclear;
  }
  if (total.numCollapsed === 0) {
    const counts = groups.map(({ numRuns, ...count }) => ({ ...count, numJudged: numRuns }));
    return `${writeCollapses(total, "run")}; ${boundCollapses(counts, " of a group")}.`;
  }
  const compared = groups.flatMap(({ group, against }) => (against ? [{ group, ...against }] : []));
  const shown = compared.filter(({ test }) => test.correctedP < 0.05);
  const longer = shown.filter(({ restrictedMean: { difference } }) => difference > 0);
  const shorter = shown.filter(({ restrictedMean: { difference } }) => difference < 0);
  const rest = compared.filter((one) => !longer.includes(one) && !shorter.includes(one));
  const write = (of: typeof compared) =>
    listing.format(of.map(({ group, test }) => `${group} (${tellP(test.correctedP)})`));
  const found = [
    ...(longer.length > 0
      ? [`${write(longer)} ${longer.length === 1 ? "trains" : "train"} longer than ${baseline} without a collapse.`]
      : []),
    ...(shorter.length > 0
      ? [`${write(shorter)} ${shorter.length === 1 ? "collapses" : "collapse"} earlier than ${baseline}.`]
      : []),
    ...(rest.length > 3 && shown.length === 0
      ? [`None of the ${rest.length} others is shown to differ from ${baseline}.`]
      : rest.length > 0
        ? [`No difference from ${baseline} is shown for ${listing.format(rest.map(({ group }) => group))}.`]
        : []),
  ];
  return [`${writeCollapses(total, "run")}.`, ...countByGroup(groups), ...found].join(" ");
}

/** Maximum number of groups whose collapses the sentence counts; the table counts those of all groups. */
const maxCounted = 6;

/** Counts collapses by group: "Collapsed: GRPO and SAPO 3 of 3 each, GSPO 0 of 3."; empty for too many groups. */
function countByGroup(groups: readonly SurvivalGroup[]): string[] {
  if (groups.length < 2 || groups.length > maxCounted) return [];
  const sorted = groups.toSorted((a, b) => b.numCollapsed / b.numRuns - a.numCollapsed / a.numRuns);
  const alike = groupBy(sorted, ({ numCollapsed, numRuns }) => `${numCollapsed} of ${numRuns}`);
  const parts = [...alike].map(
    ([count, own]) => `${listing.format(own.map(({ group }) => group))} ${count}${own.length > 1 ? " each" : ""}`,
  );
  return [`Collapsed: ${parts.join(", ")}.`];
}

const listing = new Intl.ListFormat("en-GB");

function listColumns(horizon: number, { hasSuccessDifference }: Former): Column[] {
  const column = (key: string, header: string, rest: Partial<Column> = {}): Column => {
    return { key, header, better: "none", format: iterations, ...rest };
  };
  const until = horizon.toLocaleString("en-US");
  return [
    column("method", "Group"),
    column("collapsed", "Collapsed"),
    column("rate", "Rate, 95 % (Wilson)", { unit: "%", format: percent }),
    column("unclear", "Unclear", { format: { shift: 0, decimals: 0 } }),
    column("median", "Median time to collapse"),
    column("restrictedMean", `Restricted mean (to ${until})`),
    column("restrictedDifference", "Restricted mean, paired difference (95 %)"),
    column("test", "Log-rank p (Holm)"),
    column("success", "Success at the end (95 %)", { unit: "%", format: oneDecimal }),
    ...(hasSuccessDifference
      ? [column("successDifference", "Success, paired difference (95 %)", { unit: "points", format: oneDecimal })]
      : []),
    column("hours", "Slot hours"),
    column("wastedHours", "Slot hours after a collapse"),
  ];
}

function listCells(group: SurvivalGroup, test: string, { isCut, isFormer, hasSuccessDifference }: Former): TableCell[] {
  const { numRuns, numCollapsed, numUnclear, rate, rateInterval, median, restrictedMean, success, against } = group;
  const text = (shown: string): TableCell => ({ kind: "text", text: shown });
  return [
    text(group.group),
    { kind: "share", k: numCollapsed, n: numRuns },
    estimateCell(rate, numRuns, rateInterval),
    { kind: "number", value: numUnclear },
    text(median?.toLocaleString("en-US") ?? "not reached"),
    estimateCell(
      restrictedMean.value,
      numRuns,
      restrictedMean.standardError > 0 ? (isCut ? restrictedMean.interval : uncut(restrictedMean)) : undefined,
    ),
    effectCell(against?.restrictedMean, isFormer),
    test === ofBaseline ? { kind: "text", text: test, key: ofBaselineInProofs } : text(test),
    successCell(success),
    ...(hasSuccessDifference ? [effectCell(against?.success, isFormer)] : []),
    text(group.hours.toFixed(2)),
    text(group.wastedHours.toFixed(2)),
  ];
}

function uncut({ value, standardError }: RestrictedMean): Interval {
  const reach = normalQuantile(0.975) * standardError;
  return { low: value - reach, high: value + reach };
}

function successCell(success: SurvivalGroup["success"]): TableCell {
  if (success === null) return { kind: "missing" };
  const { mean, numRuns, interval } = success;
  // Identical runs would give an interval of zero width, so it is left out.
  const isTold = numRuns >= evidenceRules.forIntervals && interval.high > interval.low;
  return estimateCell(mean, numRuns, isTold ? interval : undefined);
}

function effectCell(effect: PairedEffect | undefined, isFormer: boolean): TableCell {
  if (!effect || Number.isNaN(effect.difference)) return { kind: "missing" };
  const { difference, numPairs, interval } = effect;
  return estimateCell(difference, numPairs, isFormer && numPairs < minFormerPairs ? undefined : interval);
}

function listNotes({ groups, baseline, numAwaited }: SurvivalReport, tests: readonly string[]): string[] {
  const compared = groups.flatMap(({ group, against }) => (against ? [{ group, ...against }] : []));
  const numStrata = Math.max(0, ...compared.map((against) => against.numStrata));
  const within = numStrata > 1 ? `stratified by the ${numStrata} tasks and settings that both groups have, ` : "";
  return [
    ...(numAwaited > 0 ? [describeAwaited(numAwaited)] : []),
    `Log-rank test against ${baseline}, ${within}Holm's correction over ${formatCount(compared.length, "other group")}. Groups of fewer than five runs get no stars. Smallest group: ` +
      `${explainEvidence(Math.min(...groups.map(({ numRuns }) => numRuns)))}.`,
    ...describePermutations(compared),
    unclearSentence,
    "Differences of restricted means are over pairs of runs with the same seed and settings, with Student's t over the jackknife's pseudo-values of the pairs. Compare tests differences of success. " +
      "Success at the end includes collapsed runs. Its interval is Student's t with the standard deviation within settings.",
    ...(tests.includes(untestable) ? [whyUntestable] : []),
  ];
}

function describeAwaited(numAwaited: number): string {
  return `${formatCount(numAwaited, "run")} ${numAwaited === 1 ? "is" : "are"} still being judged. Until then there are no intervals and no tests.`;
}

type Compared = Against & { group: string };

function describePermutations(compared: readonly Compared[]): string[] {
  const listBy = (method: LogRank["method"]) => compared.filter(({ test }) => test.method === method);
  const [exact, sampled] = [listBy("exact"), listBy("sampled")];
  if (exact.length + sampled.length === 0) return [];
  const counts = exact.map(({ test }) => test.numArrangements ?? NaN);
  const most = formatCount(Math.max(...counts), "permutation");
  const parts = [
    ...(exact.length > 0
      ? [`${namesOf(exact)}: all ${exact.length > 1 ? "(up to " : ""}${most}${exact.length > 1 ? ")" : ""} (exact)`]
      : []),
    ...(sampled.length > 0
      ? [`${namesOf(sampled)}: ${maxArrangements.toLocaleString("en-US")} random permutations (fixed seed)`]
      : []),
  ];
  const numCompared = formatCount(exact.length + sampled.length, "comparison");
  return [
    `${numCompared} by permutation within strata, because both groups together have fewer than ${fewEvents} collapses: ${parts.join("; ")}.`,
  ];
}

function namesOf(groups: readonly { group: string }[]): string {
  return groups.map(({ group }) => group).join(", ");
}

/** Formats the corrected log-rank p with stars, or the reason why there is none. */
export function formatLogRank({ against, numRuns, numCollapsed }: SurvivalGroup, base?: SurvivalGroup): string {
  if (!against) return ofBaseline;
  const { correctedP } = against.test;
  if (!Number.isNaN(correctedP)) {
    return `${formatP(correctedP)}${toStars(correctedP, numRuns)}`;
  }
  if (against.numStrata === 0) return "nothing in common";
  return numCollapsed + (base?.numCollapsed ?? 0) === 0 ? "no collapse in either" : untestable;
}

/** Cell of the baseline, which proofs contain in an earlier wording. */
const ofBaseline = "baseline";
const ofBaselineInProofs = "compared with";

/** The log-rank statistic has variance 0, which permits no test. */
const untestable = "not testable";
const whyUntestable =
  "Not testable: at every collapse, all remaining runs collapsed at once, or only one group still had runs.";

export function toDurationsCsv(runs: readonly WatchedRun[]): string {
  const lines = runs.map(({ runId, group, stratum, seed, duration, isUnclear, watched, success }): CsvValue[] => [
    runId,
    group,
    stratum,
    seed,
    duration.time,
    duration.isEvent ? "yes" : isUnclear ? "unclear" : "no",
    watched,
    success,
  ]);
  return toCsvText([["run", "group", "setting", "seed", "time", "collapsed", "watched", "success"], ...lines]);
}
