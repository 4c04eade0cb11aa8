import { canonicalJson } from "#trainer/spec/canonical.ts";
import { leavesOf } from "#trainer/spec/leaves.ts";
import { split } from "#trainer/spec/rng.ts";
import type { CellSpec, RunSpec } from "#trainer/spec/run.ts";
import { firstKl } from "#server/domain/plan/sweep/rescueRule.ts";
import type { LatestSaving } from "./latestSaving.ts";
import { type ArmDifferences, compareCost, type CostedRun, type RescueCost } from "./rescueCost.ts";
import { titleOfSetting } from "#server/domain/plan/sweep/settingTitles.ts";
import { formatSetting, groupBy } from "#packages/base";
import {
  evidenceRules,
  holm,
  type Interval,
  mean,
  type PairedEffect,
  pairedRestrictedMean,
  pairedTTest,
  sumNoLikelier,
  twoLevelInterval,
  wilsonInterval,
} from "#packages/statistics";

/** Branch of a rescue experiment: continues a collapsed run (its origin), with one change or none. */
export type RescueRun = CostedRun & {
  runId: string;
  /** Iterations from start to the origin's first alarm; null without an alarm. */
  lead: number | null;
  /** Method and environment of the origin. */
  group: string;
  continuation: number;
  /** Collapse in hindsight; null without a label or measured success. */
  collapsed: boolean | null;
  /** Iterations from start to collapse, or to the end without one. */
  time: number;
};

/** "Arm" of unchanged branches, with which all changes are compared. */
export const nothing = "nothing";

/** Settings that may differ from the origin without counting as a change. */
const untreated = /^(initialisation|evaluation|execution|budget|trainer)\b/;

/**
 * Names a change: a dimension of the method, or a setting relative to its original value ("Learning rate ÷ 5"). Equal
 * changes to different runs have the same name.
 */
export function nameArm(
  spec: CellSpec,
  { method, origin, originMethod }: { method: string; origin: RunSpec; originMethod?: string | undefined },
): string {
  if (canonicalJson(spec.method) !== canonicalJson(origin.method)) {
    const before = `${originMethod}, `;
    return method.startsWith(before) ? method.slice(before.length) : method;
  }
  const flat = (cell: CellSpec) => leavesOf(cell).map(([path, value]) => [path.join("."), value] as const);
  const before = new Map<string, unknown>(flat(origin));
  const changes = flat(spec).filter(([path, value]) => !untreated.test(path) && before.get(path) !== value);
  if (changes.length === 0) return nothing;
  return changes
    .map(([path, value]) =>
      isKlArm(path, value, before.get(path))
        ? klArm
        : `${titleOfSetting(path)} ${describeChange(value, before.get(path))}`,
    )
    .join(", ");
}

const klArm = `KL coefficient × 5 (${firstKl} if it was 0)`;

/** True for the change that multiplies the KL coefficient by 5, or sets a fixed value where it is 0. */
function isKlArm(path: string, value: unknown, before: unknown): boolean {
  return (
    path === "update.klCoef" && (before === 0 ? value === firstKl : Math.abs(Number(value) / Number(before) - 5) < 0.01)
  );
}

function describeChange(value: unknown, before: unknown): string {
  if (typeof value !== "number") return typeof value === "string" ? value : JSON.stringify(value);
  if (typeof before !== "number" || before <= 0 || value <= 0) return formatSetting(value);
  const ratio = value / before;
  return ratio >= 1 ? `× ${Number(ratio.toPrecision(3))}` : `÷ ${Number((1 / ratio).toPrecision(3))}`;
}

/** Outcomes of one change at alarms: number of labelled branches, and of those that did not collapse. */
export type Precedent = { sweepId: string; arm: string; numJudged: number; numKept: number };

const minCited = 3;

/**
 * Cites, for an alert, the change that best prevented collapses in similar runs, by the Wilson interval's lower limit.
 */
export function citePrecedents(precedents: readonly Precedent[]): string {
  const arms = [...groupBy(precedents, ({ arm }) => arm)].map(([arm, own]) => ({
    arm,
    n: own.reduce((sum, { numJudged }) => sum + numJudged, 0),
    k: own.reduce((sum, { numKept }) => sum + numKept, 0),
  }));
  const lowOf = ({ k, n }: { k: number; n: number }) => wilsonInterval(k, n).low;
  const [best] = arms.filter(({ arm, n }) => arm !== nothing && n >= minCited).toSorted((a, b) => lowOf(b) - lowOf(a));
  if (!best) return "No change can be recommended yet, because too few branches of similar runs have tried one.";
  const { low, high } = wilsonInterval(best.k, best.n);
  const unchanged = arms.find(({ arm }) => arm === nothing);
  const compared = unchanged ? `; without a change, ${unchanged.k} of ${unchanged.n} branches avoided a collapse` : "";
  return `In similar runs that were branched at the alarm, ${lowerFirst(best.arm)} avoided a collapse in ${best.k} of ${best.n} branches (95 % CI: ${percent(low)} to ${percent(high)} %)${compared}.`;
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}

function percent(share: number): string {
  return (100 * share).toFixed(0);
}

/**
 * Result of one change. Differences are changed minus unchanged branches, paired by origin, start and continuation
 * (seed).
 */
export type ArmReport = {
  arm: string;
  isNothing: boolean;
  numRuns: number;
  numJudged: number;
  numCollapsed: number;
  /** Fraction that collapsed, with its Wilson interval. */
  collapsed: Interval;
  /** Exact McNemar p of collapses against unchanged branches; null for `nothing`, or below six labelled pairs. */
  mcNemar: number | null;
  success: number;
  /** Difference with a t interval; over several origins, a two-level bootstrap interval (origins, then branches). */
  successDifference: PairedEffect;
  /** Iterations without a collapse, up to the end of the shortest branch that did not collapse. */
  timeDifference: PairedEffect;
  /** Paired t test of success, over origins' means if there are several. NaN for `nothing`, or with too few pairs. */
  p: number;
  /** p-value with Holm's correction for the number of changes. */
  pHolm: number;
};

export type RescueReport = {
  /** Results by start iteration, ascending; empty for several origins. */
  iterations: { iteration: number; arms: ArmReport[] }[];
  /** Results by iterations to the first alarm, descending; empty for a single origin. */
  leads: { lead: number; arms: ArmReport[] }[];
  origins: { origin: string; group: string; arms: ArmReport[] }[];
  /** Results by method and environment of the origins; empty if there is only one. */
  groups: { group: string; numOrigins: number; arms: ArmReport[] }[];
  overall: ArmReport[];
  /** Changes whose branches have labels. */
  latest: LatestSaving[];
  /** Null if no change has a confidence interval. */
  cost: RescueCost | null;
};

export function reportRescue(runs: readonly RescueRun[]): RescueReport {
  const origins = [...groupBy(runs, ({ origin }) => origin)];
  const groups = [...groupBy(runs, ({ group }) => group)];
  const areSeveral = origins.length > 1;
  const known = runs.flatMap((run) => (run.lead === null ? [] : [{ ...run, lead: run.lead }]));
  const byIteration = areSeveral ? [] : sortByKey(groupBy(runs, ({ iteration }) => iteration));
  const byLead = areSeveral ? sortByKey(groupBy(known, ({ lead }) => lead)).toReversed() : [];
  return {
    iterations: byIteration.map(([iteration, own]) => ({ iteration, arms: reportArms(own) })),
    leads: byLead.map(([lead, own]) => ({ lead, arms: reportArms(own) })),
    origins: origins.map(([origin, own]) => ({ origin, group: own[0]?.group ?? "", arms: reportArms(own) })),
    groups:
      groups.length > 1
        ? groups.map(([group, own]) => ({ group, numOrigins: countOrigins(own), arms: reportArms(own) }))
        : [],
    overall: reportArms(runs),
    latest: areSeveral
      ? latestOfArms(known, ({ lead }) => -lead).map(reverseTime)
      : latestOfArms(runs, ({ iteration }) => iteration),
    cost: compareCost(runs, nothing, listDifferences(runs)),
  };
}

/** Computes each origin's mean difference of success, by change. */
function listDifferences(runs: readonly RescueRun[]): ArmDifferences[] {
  const changes = listArms(runs).filter((arm) => arm !== nothing);
  return changes.map((arm) => {
    const pairs = pairUp(
      runs.filter((run) => run.arm === arm),
      runs,
    ).filter(isMeasured);
    const differences = [...groupBy(pairs, (pair) => pair.arm.origin).values()].map((own) =>
      mean(own.map((pair) => pair.arm.success - pair.nothing.success)),
    );
    return { arm, differences };
  });
}

function sortByKey<Value>(groups: ReadonlyMap<number, Value>): [number, Value][] {
  return [...groups].toSorted(([a], [b]) => a - b);
}

function countOrigins(runs: readonly RescueRun[]): number {
  return new Set(runs.map(({ origin }) => origin)).size;
}

function reverseTime({ arm, at, interval: { low, high } }: LatestSaving): LatestSaving {
  const reverse = (time: number | null): number | null => (time === null ? null : 0 - time);
  return { arm, at: reverse(at), interval: { low: reverse(low), high: reverse(high) } };
}

/** Lists `nothing` first, then changes in order of appearance. */
function listArms(runs: readonly RescueRun[]): string[] {
  return [...new Set([nothing, ...runs.map(({ arm }) => arm)])].filter((arm) => runs.some((run) => run.arm === arm));
}

function reportArms(runs: readonly RescueRun[]): ArmReport[] {
  const reports = listArms(runs).map((arm) => reportArm(runs, arm));
  const tested = reports.filter(({ p }) => Number.isFinite(p));
  const adjusted = holm(tested.map(({ p }) => p));
  return reports.map((report) => ({ ...report, pHolm: adjusted[tested.indexOf(report)] ?? NaN }));
}

type Pairing = { arm: RescueRun; nothing: RescueRun };

function reportArm(runs: readonly RescueRun[], arm: string): ArmReport {
  const own = runs.filter((run) => run.arm === arm);
  const judged = own.filter(({ collapsed }) => collapsed !== null);
  const numCollapsed = judged.filter(({ collapsed }) => collapsed === true).length;
  const groups = [...groupBy(pairUp(own, runs), ({ arm: run }) => run.origin).values()];
  const measured = groups.map((pairs) => pairs.filter(isMeasured));
  return {
    arm,
    isNothing: arm === nothing,
    numRuns: own.length,
    numJudged: judged.length,
    numCollapsed,
    collapsed: wilsonInterval(numCollapsed, judged.length),
    mcNemar: arm === nothing ? null : mcNemar(groups.flat()),
    success: mean(own.flatMap(({ success }) => (Number.isNaN(success) ? [] : [success]))),
    successDifference: successEffect(measured),
    timeDifference: timeEffect(groups),
    p: arm === nothing ? NaN : testSuccess(measured),
    pHolm: NaN,
  };
}

/** Tests success over pairs of branches or, with several origins, their means. */
function testSuccess(groups: readonly (readonly Pairing[])[]): number {
  const filled = groups.filter(({ length }) => length > 0);
  const meanOf = (pairs: readonly Pairing[], side: keyof Pairing) => mean(pairs.map((pair) => pair[side].success));
  const units = filled.length > 1 ? filled : filled.flat().map((pair) => [pair]);
  if (units.length < evidenceRules.forIntervals) return NaN;
  return pairedTTest(
    units.map((pairs) => meanOf(pairs, "arm")),
    units.map((pairs) => meanOf(pairs, "nothing")),
  ).p;
}

function isMeasured({ arm, nothing: other }: Pairing): boolean {
  return Number.isFinite(arm.success) && Number.isFinite(other.success);
}

function pairUp(own: readonly RescueRun[], runs: readonly RescueRun[]): Pairing[] {
  const nameOf = ({ origin, iteration, continuation }: RescueRun) => JSON.stringify([origin, iteration, continuation]);
  const unchanged = new Map(runs.filter((run) => run.arm === nothing).map((run) => [nameOf(run), run]));
  return own.flatMap((run): Pairing[] => {
    const other = unchanged.get(nameOf(run));
    return other ? [{ arm: run, nothing: other }] : [];
  });
}

function successEffect(groups: readonly (readonly Pairing[])[]): PairedEffect {
  const pairs = groups.map((group) => group.map((pair) => ({ x: pair.arm.success, y: pair.nothing.success })));
  if (groups.length < 2) {
    const all = pairs.flat();
    const { difference, interval } = pairedTTest(
      all.map(({ x }) => x),
      all.map(({ y }) => y),
    );
    const isKnown = all.length >= evidenceRules.forIntervals;
    return { difference, interval: isKnown ? interval : { low: NaN, high: NaN }, numPairs: all.length };
  }
  const differences = pairs.map((group) => group.map(({ x, y }) => x - y));
  const means = differences.filter(({ length }) => length > 0).map((group) => mean(group));
  return { difference: mean(means), interval: twoLevelInterval(differences), numPairs: differences.flat().length };
}

function timeEffect(groups: readonly (readonly Pairing[])[]): PairedEffect {
  const judged = groups.map((group) =>
    group.filter(({ arm, nothing: other }) => arm.collapsed !== null && other.collapsed !== null),
  );
  const all = judged.flat().flatMap((pair) => [pair.arm, pair.nothing]);
  const ends = all.filter(({ collapsed }) => collapsed === false).map(({ time }) => time);
  const horizon = Math.min(...(ends.length > 0 ? ends : all.map(({ time }) => time)));
  const durationOf = ({ time, collapsed }: RescueRun) => ({ time, isEvent: collapsed === true });
  return pairedRestrictedMean(
    judged.map((group) => group.map((pair) => ({ x: durationOf(pair.arm), y: durationOf(pair.nothing) }))),
    horizon,
  );
}

/**
 * Returns McNemar's two-sided exact p over pairs in which only one branch collapsed: a binomial test with probability
 * 1/2. Null with fewer than six labelled pairs.
 */
function mcNemar(pairs: readonly Pairing[]): number | null {
  const judged = pairs.filter(({ arm, nothing: other }) => arm.collapsed !== null && other.collapsed !== null);
  if (judged.length < 6) return null;
  const saved = judged.filter(({ arm, nothing: other }) => arm.collapsed === false && other.collapsed === true).length;
  const lost = judged.filter(({ arm, nothing: other }) => arm.collapsed === true && other.collapsed === false).length;
  const n = saved + lost;
  const probabilities = [0.5 ** n];
  for (let k = 0; k < n; k++) probabilities.push(((probabilities[k] ?? NaN) * (n - k)) / (k + 1));
  return sumNoLikelier(probabilities, saved);
}

type Judged = { time: number; isSaved: boolean };

function latestOfArms<Run extends RescueRun>(runs: readonly Run[], timeOf: (run: Run) => number): LatestSaving[] {
  const judged = runs.filter(({ collapsed }) => collapsed !== null);
  return listArms(judged).flatMap((arm): LatestSaving[] => {
    if (arm === nothing) return [];
    const own = judged.filter((run) => run.arm === arm);
    const origins = [...groupBy(own, ({ origin }) => origin).values()].map((group) =>
      group.map((run): Judged => ({ time: timeOf(run), isSaved: run.collapsed === false })),
    );
    const found = latestSaving(origins.flat());
    return [{ arm, at: found === -Infinity ? null : found, interval: latestInterval(origins) }];
  });
}

/**
 * Returns the latest time at which at least half of the branches do not collapse; −∞ if none. Fractions are first made
 * non-increasing (pool-adjacent-violators), because a later change cannot help more.
 */
function latestSaving(runs: readonly Judged[]): number {
  const shares = sortByKey(groupBy(runs, ({ time }) => time)).map(([last, group]) => ({
    last,
    weight: group.length,
    share: group.filter(({ isSaved }) => isSaved).length / group.length,
  }));
  const pools: typeof shares = [];
  for (const next of shares) {
    pools.push(next);
    for (let [a, b] = lastTwo(pools); a && b && a.share < b.share; [a, b] = lastTwo(pools)) {
      const weight = a.weight + b.weight;
      const share = (a.share * a.weight + b.share * b.weight) / weight;
      pools.splice(-2, 2, { last: b.last, weight, share });
    }
  }
  return pools.findLast(({ share }) => share >= 0.5)?.last ?? -Infinity;
}

const numDraws = 2000;

/** Computes a bootstrap percentile interval over origins, then each origin's branches at each time. */
function latestInterval(origins: readonly (readonly Judged[])[]): LatestSaving["interval"] {
  const parts = origins.map((runs) => [...groupBy(runs, ({ time }) => time).values()]);
  const rng = split(0, "latest saving", parts.length);
  const draw = <Value>(list: readonly Value[]): Value[] =>
    list.flatMap(() => {
      const i = rng.int(list.length);
      return list.slice(i, i + 1);
    });
  const found = Array.from({ length: numDraws }, () =>
    latestSaving(draw(parts).flatMap((times) => times.flatMap(draw))),
  );
  const sorted = found.toSorted((a, b) => a - b);
  const at = (p: number): number | null => {
    const value = sorted[Math.ceil(p * numDraws) - 1] ?? -Infinity;
    return value === -Infinity ? null : value;
  };
  return { low: at(0.025), high: at(0.975) };
}

function lastTwo<Value>(list: readonly Value[]): [Value | undefined, Value | undefined] {
  return [list.at(-2), list.at(-1)];
}
