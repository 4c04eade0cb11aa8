import { compareSurvival, type LogRank } from "#server/domain/statistics/logRank.ts";
import { wilsonInterval, type Interval } from "#server/domain/statistics/rates.ts";
import {
  kaplanMeier,
  medianSurvival,
  restrictedMean,
  type Duration,
  type RestrictedMean,
  type SurvivalPoint,
} from "#server/domain/statistics/survival.ts";

/** A run as survival sees it: how long it was watched, and what of its time came after its collapse. */
export type WatchedRun = {
  runId: string;
  group: string;
  duration: Duration;
  /** Iterations it ran altogether, and hours it took; null where unknown. */
  watched: number;
  hours: number | null;
};

export type SurvivalGroup = {
  group: string;
  runIds: readonly string[];
  numRuns: number;
  numCollapsed: number;
  /** Wilson, 95 %. */
  rate: number;
  rateInterval: Interval;
  curve: readonly SurvivalPoint[];
  /** Undefined while fewer than half have collapsed. */
  median: number | undefined;
  /** Mean iterations without collapse up to the common horizon. */
  restrictedMean: RestrictedMean;
  /** Hours of a slot spent on this group; of those, behind a collapse. */
  hours: number;
  wastedHours: number;
  /** Against the baseline group, Holm over the others; absent for the baseline itself. */
  test?: LogRank & { correctedP: number };
};

export type SurvivalReport = {
  groups: readonly SurvivalGroup[];
  baseline: string | null;
  /** Iterations that every group's mean is restricted to: the shortest of their longest watches. */
  horizon: number;
};

/** Time to collapse by group, the groups in order of first appearance; runs that never collapsed count until they end. */
export function reportSurvival(runs: readonly WatchedRun[], baseline: string | undefined): SurvivalReport {
  const names = [...new Set(runs.map(({ group }) => group))];
  const of = (name: string) => runs.filter(({ group }) => group === name);
  const durations = (name: string) => of(name).map(({ duration }) => duration);
  const horizon = Math.min(...names.map((name) => Math.max(0, ...of(name).map(({ watched }) => watched))));
  const base = names.find((name) => name === baseline) ?? names[0] ?? null;
  const others = names.filter((name) => name !== base);
  const tests = base === null ? [] : compareSurvival(durations(base), others.map(durations));
  const groups = names.map((name): SurvivalGroup => {
    const members = of(name);
    const curve = kaplanMeier(durations(name));
    const numCollapsed = members.filter(({ duration }) => duration.isEvent).length;
    const test = tests[others.indexOf(name)];
    const behind = ({ duration, watched, hours }: (typeof members)[number]) =>
      duration.isEvent && watched > 0 ? (hours ?? 0) * Math.max(0, 1 - duration.time / watched) : 0;
    return {
      group: name,
      runIds: members.map(({ runId }) => runId),
      numRuns: members.length,
      numCollapsed,
      rate: numCollapsed / members.length,
      rateInterval: wilsonInterval(numCollapsed, members.length),
      curve,
      median: medianSurvival(curve),
      restrictedMean: restrictedMean(durations(name), horizon),
      hours: members.reduce((sum, { hours }) => sum + (hours ?? 0), 0),
      wastedHours: members.reduce((sum, run) => sum + behind(run), 0),
      ...(test && { test }),
    };
  });
  return { groups, baseline: base, horizon: Number.isFinite(horizon) ? horizon : 0 };
}
