import type { Metric } from "#trainer/spec/metric.ts";
import { fisherTest, holm, partsOf, writeDifference, writeSpread, writeSpreadOfSeeds } from "#packages/statistics";
import { formatCount, lowerFirst } from "#packages/base";
import { writeCollapses } from "#packages/detector";
import { type LeftOut, tellLeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { boundCollapses } from "./boundCollapses.ts";
import type { Collapses, Ranked, Ranking } from "./rank.ts";

type Told = {
  metric: Pick<Metric, "title" | "unit" | "better">;
  rankings: readonly Ranking[];
  collapses: Collapses;
  /** True for a search, which chooses configurations by earlier results. */
  isSearch?: boolean;
  leftOut?: LeftOut | null;
  /** Sentences about runs that are equal at every step. */
  equal?: readonly string[];
};

/** Describes the result of a sweep in a few sentences: leader (if any), effect of training, number of collapses. */
export function describeHeadline({
  metric,
  rankings,
  collapses,
  isSearch = false,
  leftOut = null,
  equal = [],
}: Told): string {
  const describe = isSearch ? describeBest : describeRanking;
  const sentences = rankings.flatMap((ranking) => {
    const where = rankings.length > 1 ? `${ranking.environment}: ` : "";
    return [`${where}${describe(ranking, metric)}.`, ...describeStart(ranking.ranked, metric)];
  });
  if (rankings.length > 0) {
    const compared = isSearch || collapses.numAwaited > 0 ? [] : compareCollapses(rankings);
    const isSaid = compared.length === rankings.length && collapses.numCollapsed + collapses.numUnclear === 0;
    if (!isSaid) sentences.push(describeCollapses(collapses), ...nameCollapsed(rankings));
    sentences.push(...compared);
  }
  if (rankings.length > 0) sentences.push(...equal);
  if (leftOut) sentences.push(tellLeftOut(leftOut));
  return sentences.join(" ");
}

/** Describes the leading configuration: "SAMPO leads: 68.3 [49, 87] %", "No clear leader; SAMPO highest: 68.3 [49, 87] %". */
export function nameLeader({ ranked, isApart }: Ranking, metric: Told["metric"]): string {
  const [first, second] = ranked;
  if (!first) return "";
  const tied = ranked.filter((one) => isAlike(one.mean, first.mean, metric));
  const figure = writeSpread(tied.length > 1 ? { mean: first.mean, interval: null } : first, metric);
  if (!second) return `${first.name}: ${figure}`;
  if (areUneven(ranked)) return `Not comparable yet; ${first.name} ${figure} so far`;
  if (tied.length > 1)
    return `${joinNames(tied.map(({ name }) => name).sort())} ${areEqual(tied) ? "are equal" : "tie"}: ${figure}`;
  return isApart ? `${first.name} leads: ${figure}` : `No clear leader; ${first.name} highest: ${figure}`;
}

/** Names up to four configurations that collapsed, those with most collapses first; with more, none. */
function nameCollapsed(rankings: readonly Ranking[]): string[] {
  const fallen = rankings
    .flatMap(({ environment, ranked }) => ranked.map((one) => ({ ...one, environment })))
    .filter(({ collapses }) => collapses.numCollapsed > 0)
    .sort((a, b) => b.collapses.numCollapsed - a.collapses.numCollapsed || a.name.localeCompare(b.name, "en"))
    .map(({ name, environment, collapses: { numCollapsed } }) => {
      const where = rankings.length > 1 ? ` in ${environment}` : "";
      return `${name}${where}${numCollapsed > 1 ? ` ×${numCollapsed}` : ""}`;
    });
  return fallen.length === 0 || fallen.length > 4 ? [] : [`Collapsed: ${joinNames(fallen)}.`];
}

function describeCollapses(collapses: Collapses): string {
  const { numRuns, numJudged, numCollapsed, numUnclear, numAwaited, numAlarmed } = collapses;
  const numUnmeasured = numRuns - numJudged - numAwaited;
  const alarmed = numAlarmed > 0 ? `, ${numAlarmed} of them with an alarm` : "";
  const rest = [
    ...(numAwaited > 0 ? [`${formatCount(numAwaited, "run")} not judged yet${alarmed}`] : []),
    ...(numUnmeasured > 0
      ? [`${formatCount(numUnmeasured, "run")} not judged (too short, or no success or reward logged)`]
      : []),
  ].join("; ");
  if (numJudged === 0) return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}.`;
  const counted = writeCollapses(collapses, rest === "" ? "run" : "judged run");
  if (rest !== "") return `${counted.replace(/^0 /, "None ")}; ${rest}.`;
  return `${numCollapsed + numUnclear === 0 ? "No run collapsed" : counted}.`;
}

/** Compares collapses within each task: "No method differs in collapses: 0 of 3 each." Needs two judged methods. */
function compareCollapses(rankings: readonly Ranking[]): string[] {
  return rankings.flatMap(({ environment, ranked }) => {
    const judged = ranked.filter(({ collapses }) => collapses.numJudged > 0);
    if (judged.length < 2 || judged.length < ranked.length) return [];
    const sentence = compareCounts(judged);
    return [
      `${rankings.length > 1 ? `${environment}: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}` : sentence}.`,
    ];
  });
}

/** Tests the fewest collapses, with unclear runs as possible ones, against each of the others (Fisher, Holm's correction). */
function compareCounts(judged: readonly Ranked[]): string {
  const noun = new Set(judged.map(({ method }) => method)).size === judged.length ? "method" : "configuration";
  const rateOf = ({ collapses }: Ranked) => collapses.numCollapsed / collapses.numJudged;
  const maxRateOf = (one: Ranked) => rateOf(one) + one.collapses.numUnclear / one.collapses.numJudged;
  const [first, ...others] = judged.toSorted((a, b) => rateOf(a) - rateOf(b) || maxRateOf(a) - maxRateOf(b));
  const last = others.at(-1);
  if (!first || !last) return "";
  const write = ({ collapses }: Ranked) => writeCollapses(collapses);
  if (judged.every((one) => write(one) === write(first))) {
    const open = first.collapses.numCollapsed > 0 ? "" : `; ${boundCollapses([first.collapses])}`;
    return `No ${noun} differs in collapses: ${write(first)} each${open}`;
  }
  const { numCollapsed, numUnclear, numJudged } = first.collapses;
  const possible = { k: numCollapsed + numUnclear, n: numJudged };
  const count = ({ collapses }: Ranked) => ({ k: collapses.numCollapsed, n: collapses.numJudged });
  const corrected = holm(others.map((one) => (maxRateOf(first) < rateOf(one) ? fisherTest(possible, count(one)) : 1)));
  const worse = others.filter((_, i) => (corrected[i] ?? 1) < 0.05);
  if (worse.length === 0) return `No ${noun} differs significantly in collapses: ${write(first)} to ${write(last)}`;
  return `${first.name} collapsed significantly less often (${write(first)}) than ${joinNames(worse.map((one) => `${one.name} (${write(one)})`))}`;
}

/** Describes the leader of each task, and from how many others it can be told apart. */
export function describeRankings(rankings: readonly Ranking[], metric: Told["metric"]): string {
  const where = ({ environment }: Ranking) => (rankings.length > 1 ? `${environment}: ` : "");
  return rankings.map((ranking) => `${where(ranking)}${describeRanking(ranking, metric)}.`).join(" ");
}

function describeRanking({ ranked, next, numBelow, isApart }: Ranking, metric: Told["metric"]): string {
  const [first, second, ...others] = ranked;
  if (!first) return "";
  const figure = writeSpreadOfSeeds(first, metric);
  const title = lowerFirst(metric.title);
  if (!second) return `The ${title} of ${first.name} is ${figure}${describeSoFar(first)}`;
  if (areUneven(ranked)) {
    const shown = ranked.slice(0, 3).map((one) => `${one.name} ${writeSpread(one, metric)}${describeSoFar(one)}`);
    const more = ranked.length > 3 ? `; ${formatCount(ranked.length - 3, "other")}` : "";
    return `The ${title} so far, not compared at different iterations: ${shown.join(", ")}${more}`;
  }
  const tied = ranked.filter((one) => isAlike(one.mean, first.mean, metric));
  if (tied.length > 1) return describeTie(tied, ranked, metric);
  const verb = isApart ? "leads" : "is ahead";
  const lead = `${first.name} ${verb} in ${title} with ${figure}, then ${second.name} with ${writeSpread(second, metric)}`;
  if (numBelow === undefined) return `${lead}; there are too few seeds for a significant difference`;
  const by = next?.interval ? `: ${writeDifference(next, metric)}${metric.unit === "fraction" ? " points" : ""}` : "";
  if (others.length === 0) return `${lead}; the difference is ${isApart ? "" : "not "}significant${by}`;
  const numOthers = others.length + 1;
  if (numBelow === numOthers) return `${lead}; ${first.name} is significantly ahead of all others`;
  if (numBelow === 0) return `${lead}; ${first.name} is not significantly ahead of any of the ${numOthers} others`;
  return `${lead}; ${first.name} is significantly ahead of ${numBelow} of the ${numOthers} others`;
}

/** True if configurations have trained for different numbers of iterations, so that their values do not compare. */
function areUneven(ranked: readonly Ranked[]): boolean {
  return new Set(ranked.map(({ iteration }) => iteration)).size > 1;
}

function describeSoFar({ iteration }: Ranked): string {
  return iteration === undefined ? "" : ` (iteration ${iteration})`;
}

/** True if the runs of all configurations are equal at every step, so that they agree without evidence. */
function areEqual([first, ...others]: readonly Ranked[]): boolean {
  return first?.curves !== undefined && others.every(({ curves }) => curves === first.curves);
}

/** Describes a tie. Methods whose printed means are equal share the lead, even if further digits differ. */
function describeTie(tied: readonly Ranked[], ranked: readonly Ranked[], metric: Told["metric"]): string {
  const [first] = tied;
  if (!first) return "";
  const figure = writeSpread({ mean: first.mean, interval: null }, metric);
  const who =
    tied.length > 2 && tied.length === ranked.length
      ? `All ${nameCount(tied.length)}`
      : joinNames(tied.map(({ name }) => name).sort());
  const isEven = tied.every(({ n }) => n === first.n);
  const seeds = isEven ? ` (${formatCount(first.n, "seed")} each)` : "";
  const next = ranked[tied.length];
  const then = next ? `, then ${next.name} with ${writeSpread(next, metric)}` : "";
  return `${who} ${areEqual(tied) ? "are equal at every step, with" : "tie at"} ${figure} in ${lowerFirst(metric.title)}${seeds}${then}`;
}

/** Describes a search's best configuration, with a warning that selection among many trials biases the values. */
function describeBest({ ranked }: Ranking, metric: Told["metric"]): string {
  const [first] = ranked;
  if (!first) return "";
  const title = lowerFirst(metric.title);
  const tried = `${formatCount(ranked.length, "configuration")} that the search trained`;
  const tied = ranked.filter((one) => isAlike(one.mean, first.mean, metric));
  if (tied.length > 1) {
    const figure = writeSpread({ mean: first.mean, interval: null }, metric);
    return `${joinNames(tied.map(({ name }) => name).sort())} tie as the best of ${tried}, with ${title} ${figure}; the values are biased in their favour, because they were selected on these seeds`;
  }
  const result = `${title} ${writeSpreadOfSeeds(first, metric)}`;
  if (ranked.length === 1) return `${first.name} is the only configuration that the search trained, with ${result}`;
  return `${first.name} is the best of ${tried}, with ${result}; the value is biased in its favour, because it was selected on these seeds`;
}

/** Describes that no configuration improved on its value before training; empty if one did or a value is missing. */
function describeStart(ranked: readonly Ranked[], metric: Told["metric"]): string[] {
  const sign = metric.better === "down" ? -1 : 1;
  const gains = ranked.map(({ mean, start }) => (isAlike(mean, start, metric) ? 0 : sign * (mean - start)));
  if (metric.better === "none" || !gains.every((gain) => gain <= 0)) return [];
  const write = (x: number) => partsOf({ mean: x, interval: null }, metric).mean;
  const writeWhole = (x: number) => writeSpread({ mean: x, interval: null }, metric);
  const writeRange = (values: readonly number[], writeLast: (x: number) => string) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return isAlike(low, high, metric) ? writeLast(low) : `between ${write(low)} and ${writeLast(high)}`;
  };
  const before = ranked.map(({ start }) => start);
  const count = nameCount(ranked.length);
  if (gains.every((gain) => gain < 0)) {
    const all = ranked.length === 1 ? "It" : ranked.length === 2 ? "Both" : `All ${count}`;
    const means = ranked.map(({ mean }) => mean);
    const verb = metric.better === "down" ? "rose" : "fell";
    return [`${all} ${verb} during training, from ${writeRange(before, write)} to ${writeRange(means, writeWhole)}.`];
  }
  const who = ranked.length === 1 ? "It is no" : `None of the ${count} is`;
  return [`${who} better than before training (${writeRange(before, writeWhole)}).`];
}

/** Returns true if two values are printed alike, with the metric's number of digits. */
function isAlike(a: number, b: number, metric: { unit: string }): boolean {
  const write = (mean: number) => partsOf({ mean, interval: null }, metric).mean;
  return write(a) === write(b);
}

const smallNumbers = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

function nameCount(count: number): string {
  return smallNumbers[count] ?? String(count);
}

/** Joins names as "A", "A and B", "A, B and C"; of more than four names, states the number of the others. */
function joinNames(names: readonly string[]): string {
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} others`] : names;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}
