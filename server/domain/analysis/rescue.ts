import { canonicalJson } from "#trainer/spec/canonical.ts";
import { leavesOf } from "#trainer/spec/leaves.ts";
import type { CellSpec, RunSpec } from "#trainer/spec/run.ts";
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

/** One branch of a rescue experiment. */
export type RescueRun = {
  runId: string;
  /** Run and iteration that it continues. */
  origin: string;
  iteration: number;
  /** Its change; `nothing` for an unchanged branch. */
  arm: string;
  continuation: number;
  /** Collapsed in hindsight; null where its success was not measured or not judged. */
  collapsed: boolean | null;
  /** Iterations from the origin to its collapse, or to its end without one. */
  time: number;
  /** Success in its final window; NaN without an evaluation. */
  success: number;
};

/** Name of the arm without a change, with which the others are compared. */
export const nothing = "nothing";

/** Settings whose change is no treatment. */
const untreated = /^(initialisation|evaluation|execution|budget|trainer)\b/;

/** Name of a branch's change: its method's own name, or its changed settings ("learning rate 6e-5"). */
export function nameArm(spec: CellSpec, { method, origin }: { method: string; origin: RunSpec }): string {
  if (canonicalJson(spec.method) !== canonicalJson(origin.method)) return method;
  const flat = (cell: CellSpec) => leavesOf(cell).map(([path, value]) => [path.join("."), value] as const);
  const before = new Map(flat(origin));
  const changes = flat(spec).filter(([path, value]) => !untreated.test(path) && before.get(path) !== value);
  if (changes.length === 0) return nothing;
  const texts = changes.map(([path, value]) => {
    const text =
      typeof value === "number" ? formatSetting(value) : typeof value === "string" ? value : JSON.stringify(value);
    return `${titleOfSetting(path)} ${text}`;
  });
  return texts.join(", ");
}

/** An arm at one origin iteration, or over all of them. Differences: the arm minus nothing, by origin and continuation. */
export type ArmReport = {
  arm: string;
  isNothing: boolean;
  numRuns: number;
  numJudged: number;
  numCollapsed: number;
  /** Wilson interval of the collapsed share. */
  collapsed: Interval;
  /** Exact McNemar test of collapsed against nothing; null with fewer than six pairs. */
  mcNemar: number | null;
  success: number;
  /** Difference of success at the end: t interval; over several origins a two-level bootstrap (origins, continuations). */
  successDifference: PairedEffect;
  /** Difference of iterations without a collapse, restricted to the shortest end. */
  timeDifference: PairedEffect;
  /** Paired t test of success; after Holm's correction over the arms. NaN for nothing. */
  p: number;
  pHolm: number;
};

export type RescueReport = {
  /** By origin iteration, ascending. */
  iterations: { iteration: number; arms: ArmReport[] }[];
  overall: ArmReport[];
  /** Latest origin iteration at which an arm that was judged still saves; null: none of those tried. */
  latest: { arm: string; iteration: number | null }[];
};

/** Compares arms with unchanged branches that have the same origin, iteration and continuation. */
export function reportRescue(runs: readonly RescueRun[]): RescueReport {
  const byIteration = [...groupBy(runs, ({ iteration }) => iteration)].toSorted(([a], [b]) => a - b);
  const iterations = byIteration.map(([iteration, group]) => ({ iteration, arms: reportArms(group) }));
  const judged = runs.filter(({ collapsed }) => collapsed !== null);
  const arms = listArms(judged).filter((arm) => arm !== nothing);
  return {
    iterations,
    overall: reportArms(runs),
    latest: arms.map((arm) => ({ arm, iteration: latestSaving(runs, arm) })),
  };
}

/** `nothing` first, then in order of appearance. */
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
  const [x, y] = [measured.flat().map((pair) => pair.arm.success), measured.flat().map((pair) => pair.nothing.success)];
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
    p: arm === nothing || x.length < evidenceRules.forIntervals ? NaN : pairedTTest(x, y).p,
    pHolm: NaN,
  };
}

function isMeasured({ arm, nothing: other }: Pairing): boolean {
  return Number.isFinite(arm.success) && Number.isFinite(other.success);
}

/** Runs of an arm with the unchanged branch of the same origin, iteration and continuation. */
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

/** Two-sided exact p-value from discordant pairs: the binomial distribution with probability 1/2. */
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

/**
 * Latest origin iteration with at least half of the branches without a collapse. The shares are made non-increasing in
 * time first (pool-adjacent-violators, weighted by branches), since a later change cannot save more.
 */
function latestSaving(runs: readonly RescueRun[], arm: string): number | null {
  const own = runs.filter((run) => run.arm === arm && run.collapsed !== null);
  const shares = [...groupBy(own, ({ iteration }) => iteration)]
    .toSorted(([a], [b]) => a - b)
    .map(([iteration, group]) => ({
      last: iteration,
      weight: group.length,
      share: group.filter(({ collapsed }) => collapsed === false).length / group.length,
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
  return pools.findLast(({ share }) => share >= 0.5)?.last ?? null;
}

function lastTwo<Value>(list: readonly Value[]): [Value | undefined, Value | undefined] {
  return [list.at(-2), list.at(-1)];
}
