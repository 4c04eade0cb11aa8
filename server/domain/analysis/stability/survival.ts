import { groupBy } from "#packages/base";
import {
  bcaDifference,
  bcaRestrictedMean,
  compareSurvival,
  type LogRank,
  type Looks,
  pairedDifference,
  pairedRestrictedMean,
  type Pair,
  type PairedEffect,
  pooledMeanInterval,
  wilsonInterval,
  withinRates,
  type Interval,
  mean,
  kaplanMeier,
  medianSurvival,
  restrictedMean,
  type Duration,
  type RestrictedMean,
  type Stratum,
  type SurvivalPoint,
} from "#packages/statistics";
import { type Drawn, looksWithin } from "#server/domain/runs/looks.ts";

export type WatchedRun = {
  runId: string;
  group: string;
  /** Key of task and settings. Runs are compared only within one stratum. */
  stratum: string;
  /** Runs of equal stratum and seed share tasks and initial policy, so they are pairs. */
  seed: number;
  duration: Duration;
  /** True for an ambiguous hindsight label, which counts as no collapse. */
  isUnclear: boolean;
  /** Final held-out success, also of collapsed runs; null if not measured. */
  success: number | null;
  /** Number of iterations trained. */
  watched: number;
  hours: number | null;
  /** How the run was drawn; absent for runs of a plan. */
  drawn?: Drawn;
};

export type SurvivalGroup = {
  group: string;
  runIds: readonly string[];
  numRuns: number;
  numCollapsed: number;
  /** Number of runs between a passing dip and a collapse in hindsight. */
  numUnclear: number;
  /** Fraction that collapsed, with its 95 % Wilson interval. */
  rate: number;
  rateInterval: Interval;
  curve: readonly SurvivalPoint[];
  /** Median iterations to collapse; undefined while Kaplan–Meier survival is above one half. */
  median?: number | undefined;
  /** Mean iterations without a collapse, up to the common horizon. */
  restrictedMean: RestrictedMean;
  /** Slot-hours, and how many of them followed a collapse. */
  hours: number;
  wastedHours: number;
  /** Mean final success, including collapsed runs, with a t interval within strata; null if not measured. */
  success: { mean: number; interval: Interval; numRuns: number } | null;
  /** Absent for the baseline. */
  against?: Against;
};

/** Tests and intervals allow for all looks before seeds were added. */
export type Against = {
  /** Stratified log-rank test, with Holm's correction over all groups except the baseline. */
  test: LogRank & { correctedP: number };
  numStrata: number;
  /** Differences paired over seeds that both groups have exactly once per stratum. */
  restrictedMean: PairedEffect;
  success: PairedEffect;
};

export type SurvivalReport = {
  groups: readonly SurvivalGroup[];
  baseline: string | null;
  /** Common horizon in iterations: the minimum, over groups, of the longest observed run. */
  horizon: number;
  numAwaited: number;
};

type Computed = {
  /** Runs that lack a label; until they have one, there are no intervals and no tests. */
  numAwaited?: number;
  /** True for bootstrap intervals of differences, as in tables up to tables-4. */
  isFormer?: boolean;
};

/** Compares times to collapse; runs without a collapse are censored at their end. */
export function reportSurvival(
  runs: readonly WatchedRun[],
  baseline: string | undefined,
  { numAwaited = 0, isFormer = false }: Computed = {},
): SurvivalReport {
  const names = [...new Set(runs.map(({ group }) => group))];
  const of = (name: string) => runs.filter(({ group }) => group === name);
  const durations = (name: string) => of(name).map(({ duration }) => duration);
  const horizon = Math.min(...names.map((name) => Math.max(0, ...of(name).map(({ watched }) => watched))));
  const base = names.find((name) => name === baseline) ?? names[0] ?? null;
  const others = names.filter((name) => name !== base);
  const against = base === null ? [] : compareWith(of(base), others.map(of), { horizon, isFormer });
  const groups = names.map((name): SurvivalGroup => {
    const members = of(name);
    const curve = kaplanMeier(durations(name));
    const numCollapsed = members.filter(({ duration }) => duration.isEvent).length;
    const compared = against[others.indexOf(name)];
    const behind = ({ duration, watched, hours }: (typeof members)[number]) =>
      duration.isEvent && watched > 0 ? (hours ?? 0) * Math.max(0, 1 - duration.time / watched) : 0;
    return {
      group: name,
      runIds: members.map(({ runId }) => runId),
      numRuns: members.length,
      numCollapsed,
      numUnclear: members.filter(({ isUnclear }) => isUnclear).length,
      rate: numCollapsed / members.length,
      rateInterval: wilsonInterval(numCollapsed, members.length),
      curve,
      median: medianSurvival(curve),
      restrictedMean: restrictedMean(durations(name), horizon),
      hours: members.reduce((sum, { hours }) => sum + (hours ?? 0), 0),
      wastedHours: members.reduce((sum, run) => sum + behind(run), 0),
      success: meanSuccess(members),
      ...(compared && { against: compared }),
    };
  });
  return {
    groups: numAwaited > 0 ? groups.map(withoutInference) : groups,
    baseline: base,
    horizon: Number.isFinite(horizon) ? horizon : 0,
    numAwaited,
  };
}

/** Removes intervals and tests, which would change with every further label. */
function withoutInference(group: SurvivalGroup): SurvivalGroup {
  const [p, interval] = [NaN, { low: NaN, high: NaN }];
  const { against, success, restrictedMean: restricted } = group;
  return {
    ...group,
    rateInterval: interval,
    curve: group.curve.map((point) => ({ ...point, interval })),
    restrictedMean: { ...restricted, interval },
    success: success && { ...success, interval },
    ...(against && {
      against: {
        ...against,
        test: { ...against.test, p, correctedP: NaN },
        restrictedMean: { ...against.restrictedMean, interval, p },
        success: { ...against.success, interval, p },
      },
    }),
  };
}

function compareWith(
  baseline: readonly WatchedRun[],
  groups: readonly (readonly WatchedRun[])[],
  { horizon, isFormer }: { horizon: number; isFormer: boolean },
): Against[] {
  const comparisons = groups.map((group) => toStrata(group, baseline));
  const tests = compareSurvival(
    comparisons.map((strata) => strata.map(toDurations)),
    comparisons.map((strata) => looksWithin(drawnIn(strata))),
  );
  return tests.map((test, i): Against => {
    const strata = comparisons[i] ?? [];
    const pairs = strata.map(toPairs);
    const ofPairs = looksOfPairs(pairs.flat());
    const durations = pairs.map((some) => some.map(({ x, y }) => ({ x: x.duration, y: y.duration })));
    const successes = pairs.map((some) =>
      some.flatMap(({ x, y }) => (x.success === null || y.success === null ? [] : { x: x.success, y: y.success })),
    );
    const restricted = pairedRestrictedMean(durations, horizon, ofPairs);
    const success = pairedDifference(successes.flat(), ofPairs);
    return {
      test,
      numStrata: strata.length,
      restrictedMean: isFormer ? { ...restricted, ...bcaRestrictedMean(durations, horizon) } : restricted,
      success: isFormer ? { ...success, ...bcaDifference(successes) } : success,
    };
  });
}

export function pairWithin(group: readonly WatchedRun[], baseline: readonly WatchedRun[]): Pair<WatchedRun>[] {
  return toStrata(group, baseline).flatMap(toPairs);
}

type RunStratum = { x: readonly WatchedRun[]; y: readonly WatchedRun[] };

/** Lists the strata in which both groups have runs. */
function toStrata(group: readonly WatchedRun[], baseline: readonly WatchedRun[]): RunStratum[] {
  const [mine, theirs] = [group, baseline].map((runs) => groupBy(runs, ({ stratum }) => stratum));
  return [...(mine ?? [])].flatMap(([stratum, x]) => {
    const y = theirs?.get(stratum);
    return y ? [{ x, y }] : [];
  });
}

/** Looks at paired differences, which two pairs suffice to test. */
export function looksOfPairs(pairs: readonly Pair<WatchedRun>[]): Looks {
  return looksWithin(drawnIn([{ x: pairs.map(({ x }) => x), y: pairs.map(({ y }) => y) }]), 2);
}

function drawnIn(strata: readonly RunStratum[]) {
  return strata.map(({ x, y }) => [x, y].map((runs) => runs.flatMap(({ drawn }) => drawn ?? [])));
}

function toDurations({ x, y }: RunStratum): Stratum {
  return { x: x.map(({ duration }) => duration), y: y.map(({ duration }) => duration) };
}

/** Pairs runs of equal seed, if each group has exactly one. */
function toPairs({ x, y }: RunStratum): Pair<WatchedRun>[] {
  const [mine, theirs] = [x, y].map((runs) => groupBy(runs, ({ seed }) => seed));
  return [...(mine ?? [])].flatMap(([seed, some]) => {
    const [first, ...more] = some;
    const [other, ...others] = theirs?.get(seed) ?? [];
    return first && other && more.length + others.length === 0 ? [{ x: first, y: other }] : [];
  });
}

function meanSuccess(runs: readonly WatchedRun[]): SurvivalGroup["success"] {
  const strata = [...groupBy(runs, ({ stratum }) => stratum).values()].map((some) =>
    some.flatMap(({ success }) => success ?? []),
  );
  const measured = strata.flat();
  if (measured.length === 0) return null;
  return { mean: mean(measured), interval: withinRates(pooledMeanInterval(strata)), numRuns: measured.length };
}
