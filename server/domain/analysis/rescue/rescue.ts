import type { CollapseCount, HindsightWord } from "#packages/detector";
import { formatCount, groupBy } from "#packages/base";
import {
  clusteredDifference,
  clusteredRateInterval,
  clusteredRestrictedMean,
  holm,
  type Interval,
  mean,
  type PairedEffect,
} from "#packages/statistics";
import {
  type CollapseEffect,
  compareCollapses,
  countCollapses,
  describeAwaited,
  isAtRisk,
  isCompared,
  type JudgedBranch,
  listArms,
  pairByUnit,
  type Pairing,
  unitOf,
} from "./branchOutcome.ts";
import { type LatestSaving, latestSavings, reverseTime } from "./latestSaving.ts";
import { nothing } from "./rescueArms.ts";
import { type ArmDifferences, compareCost, type CostedRun, type RescueCost } from "./rescueCost.ts";

/** Branch of a rescue experiment: continues a collapsed run (its origin), with one change or none. */
export type RescueRun = CostedRun &
  JudgedBranch & {
    runId: string;
    /** Iterations from start to the origin's first alarm; null without an alarm. */
    lead: number | null;
    /** Method and environment of the origin. */
    group: string;
    /** Label of the branch, whose curve begins with the origin's. */
    hindsight: HindsightWord;
    /** Iterations from start to collapse, or to the end without one. */
    time: number;
  };

/**
 * Result of one change. Collapses are counted among labelled branches that had not collapsed before the change.
 * Differences are changed minus unchanged branches, paired by origin, start and continuation
 * (seed). Their units are origins or, of a single origin, pairs; or configurations.
 */
export type ArmReport = CollapseCount & {
  arm: string;
  isNothing: boolean;
  /** Compared branches, without continuation 0. */
  numRuns: number;
  /** Branches whose success had fallen before the change; they are not among `numJudged`. */
  numBefore: number;
  /** 95 % interval of the fraction that collapsed, over origins. */
  collapsed: Interval;
  success: number;
  successDifference: PairedEffect;
  collapseDifference: CollapseEffect;
  /** Iterations without a collapse, up to the end of the shortest branch that did not collapse. */
  timeDifference: PairedEffect;
  /** p-value of `successDifference` with Holm's correction for the number of changes; NaN for `nothing`. */
  pHolm: number;
};

export type RescueReport = {
  /** Results by start iteration, ascending; empty for several origins. */
  iterations: { iteration: number; arms: ArmReport[] }[];
  /** Results by iterations to the first alarm, descending, over several origins each; empty for a single origin. */
  leads: { lead: number; arms: ArmReport[] }[];
  origins: { origin: string; group: string; arms: ArmReport[] }[];
  /** Results by method and environment of the origins; empty if there is only one. */
  groups: { group: string; numOrigins: number; arms: ArmReport[] }[];
  overall: ArmReport[];
  /** Unchanged branches with continuation 0, which repeat the recorded runs. They are not compared. */
  recorded: { numRuns: number; numCollapsed: number };
  /** Changed branches with continuation 0, for which there is therefore no comparison. */
  numUnpaired: number;
  /** Branches that are in no result by time, because no other origin has branches as far before its first alarm. */
  numAlone: number;
  /** Branches without a label yet; until they have one, there are no intervals and no tests. */
  numAwaited: number;
  /** Sentences on the branches that the numbers leave out. */
  notes: string[];
  /** Changes whose branches have labels. */
  latest: LatestSaving[];
  /** Null if no change has a confidence interval. */
  cost: RescueCost | null;
};

export function reportRescue(all: readonly RescueRun[]): RescueReport {
  const runs = all.filter(isCompared);
  const recorded = all.filter((run) => !isCompared(run) && run.arm === nothing);
  const numAwaited = runs.filter(({ outcome }) => outcome === "not judged yet").length;
  const report = reportCompared(runs, all);
  const counted = {
    ...(numAwaited > 0 ? withoutInference(report) : report),
    recorded: {
      numRuns: recorded.length,
      numCollapsed: recorded.filter(({ hindsight }) => hindsight.startsWith("collapsed")).length,
    },
    numUnpaired: all.length - runs.length - recorded.length,
    numAwaited,
  };
  return { ...counted, notes: describeLeftOut(counted) };
}

/** Lists what the numbers of a report leave out: branches without a label, the recorded runs, earlier collapses. */
function describeLeftOut({ overall, recorded, numUnpaired, numAwaited }: Omit<RescueReport, "notes">): string[] {
  const numRuns = overall.reduce((sum, arm) => sum + arm.numRuns, 0);
  const numBefore = overall.reduce((sum, arm) => sum + arm.numBefore, 0);
  const unpaired = numUnpaired > 0 ? `, nor is continuation 0 of the changes (${formatBranches(numUnpaired)})` : "";
  return [
    ...(numAwaited > 0
      ? [`${describeAwaited(numAwaited, numRuns)}. Until then there are no intervals and no tests.`]
      : []),
    ...(recorded.numRuns > 0
      ? [
          `Unchanged, continuation 0 repeats the recorded run, which was chosen because it collapsed. It is not compared (${recorded.numCollapsed} of ${recorded.numRuns} collapsed)${unpaired}.`,
        ]
      : numUnpaired > 0
        ? [`Continuation 0 is not compared (${formatBranches(numUnpaired)}).`]
        : []),
    ...(numBefore > 0
      ? [
          `Collapses are counted after the change only: ${formatBranches(numBefore)} had collapsed before it, in the branch or in the recorded run, and are left out of the counts.`,
        ]
      : []),
  ];
}

function formatBranches(count: number): string {
  return formatCount(count, "branch", "branches");
}

type Compared = Omit<RescueReport, "recorded" | "numUnpaired" | "numAwaited" | "notes">;

function reportCompared(runs: readonly RescueRun[], all: readonly RescueRun[]): Compared {
  const origins = [...groupBy(runs, ({ origin }) => origin)];
  const groups = [...groupBy(runs, ({ group }) => group)];
  const areSeveral = origins.length > 1;
  const known = runs.flatMap((run) => (run.lead === null ? [] : [{ ...run, lead: run.lead }]));
  const byIteration = areSeveral ? [] : sortByKey(groupBy(runs, ({ iteration }) => iteration));
  const times = sortByKey(groupBy(known, ({ lead }) => lead)).toReversed();
  const byLead = areSeveral ? times.filter(([, own]) => countOrigins(own) > 1) : [];
  const shared = byLead.flatMap(([, own]) => own);
  return {
    iterations: byIteration.map(([iteration, own]) => ({ iteration, arms: reportArms(own) })),
    leads: byLead.map(([lead, own]) => ({ lead, arms: reportArms(own) })),
    origins: origins.map(([origin, own]) => ({ origin, group: own[0]?.group ?? "", arms: reportArms(own) })),
    groups:
      groups.length > 1
        ? groups.map(([group, own]) => ({ group, numOrigins: countOrigins(own), arms: reportArms(own) }))
        : [],
    overall: reportArms(runs),
    numAlone: areSeveral ? known.length - shared.length : 0,
    latest: areSeveral
      ? latestSavings(shared, ({ lead }) => -lead).map(reverseTime)
      : latestSavings(runs, ({ iteration }) => iteration),
    // Cost is per origin, and over configurations there are no differences of origins.
    cost: isByConfiguration(runs) ? null : compareCost({ all, compared: runs }, nothing, listDifferences(runs)),
  };
}

/** Counts the branches of a change that are in no result by time, like `numAlone` of all changes. */
export function countAlone({ leads, runs }: Pick<RescueReport, "leads"> & { runs: readonly RescueRun[] }, arm: string) {
  const isAlone = ({ lead: own }: RescueRun) => own !== null && leads.every(({ lead }) => lead !== own);
  return runs.filter((run) => run.arm === arm && isCompared(run) && isAlone(run)).length;
}

/** Removes intervals and tests, which would change with every further label. */
function withoutInference(report: Compared): Compared {
  const strip = <Part extends { arms: ArmReport[] }>(part: Part): Part => ({ ...part, arms: part.arms.map(stripArm) });
  return {
    iterations: report.iterations.map(strip),
    leads: report.leads.map(strip),
    origins: report.origins.map(strip),
    groups: report.groups.map(strip),
    overall: report.overall.map(stripArm),
    numAlone: report.numAlone,
    latest: [],
    cost: null,
  };
}

function stripArm(arm: ArmReport): ArmReport {
  const [p, unknown] = [NaN, { low: NaN, high: NaN }];
  const bare = <Effect extends PairedEffect>(effect: Effect): Effect => ({ ...effect, interval: unknown, p });
  return {
    ...arm,
    collapsed: unknown,
    successDifference: bare(arm.successDifference),
    collapseDifference: { ...bare(arm.collapseDifference), exactP: NaN },
    timeDifference: bare(arm.timeDifference),
    pHolm: NaN,
  };
}

function isByConfiguration(runs: readonly RescueRun[]): boolean {
  return runs.some(({ configuration }) => configuration !== undefined);
}

/** Computes each origin's mean difference of success, by change. */
function listDifferences(runs: readonly RescueRun[]): ArmDifferences[] {
  const changes = listArms(runs).filter((arm) => arm !== nothing);
  return changes.map((arm) => {
    const groups = pairByUnit(runs, arm).map((pairs) => pairs.filter(isMeasured));
    const differences = groups
      .filter(({ length }) => length > 0)
      .map((own) => mean(own.map((pair) => pair.arm.success - pair.nothing.success)));
    return { arm, differences };
  });
}

function sortByKey<Value>(groups: ReadonlyMap<number, Value>): [number, Value][] {
  return [...groups].toSorted(([a], [b]) => a - b);
}

function countOrigins(runs: readonly RescueRun[]): number {
  return new Set(runs.map(({ origin }) => origin)).size;
}

function reportArms(runs: readonly RescueRun[]): ArmReport[] {
  const all = listArms(runs).map((arm) => reportArm(runs, arm));
  // Origins of one configuration are alike, so they are no units in place of configurations.
  const isAlone = isByConfiguration(runs) && new Set(runs.map(unitOf)).size < 2;
  const reports = isAlone ? all.map(stripArm) : all;
  const adjusted = holm(reports.map(({ isNothing, successDifference: { p } }) => (isNothing ? NaN : p)));
  return reports.map((report, i) => ({ ...report, pHolm: adjusted[i] ?? NaN }));
}

function reportArm(runs: readonly RescueRun[], arm: string): ArmReport {
  const own = runs.filter((run) => run.arm === arm);
  const judged = own.filter(isAtRisk);
  const groups = pairByUnit(runs, arm);
  const measured = groups.map((pairs) => pairs.filter(isMeasured));
  return {
    arm,
    isNothing: arm === nothing,
    numRuns: own.length,
    ...countCollapses(own),
    numBefore: own.filter(({ outcome }) => outcome === "before").length,
    collapsed: collapsedInterval(judged),
    success: mean(own.flatMap(({ success }) => (Number.isNaN(success) ? [] : [success]))),
    successDifference: clusteredDifference(
      measured.map((pairs) => pairs.map((pair) => ({ x: pair.arm.success, y: pair.nothing.success }))),
    ),
    collapseDifference: compareCollapses(runs, arm),
    timeDifference: timeEffect(groups),
    pHolm: NaN,
  };
}

function collapsedInterval(judged: readonly RescueRun[]): Interval {
  return clusteredRateInterval(
    [...groupBy(judged, unitOf).values()].map((own) => {
      const { numCollapsed: k, numJudged: n } = countCollapses(own);
      return { k, n };
    }),
  );
}

function isMeasured({ arm, nothing: other }: Pairing<RescueRun>): boolean {
  return Number.isFinite(arm.success) && Number.isFinite(other.success);
}

function timeEffect(groups: readonly (readonly Pairing<RescueRun>[])[]): PairedEffect {
  const judged = groups
    .map((group) => group.filter(({ arm, nothing: other }) => isAtRisk(arm) && isAtRisk(other)))
    .filter(({ length }) => length > 0);
  const all = judged.flat().flatMap((pair) => [pair.arm, pair.nothing]);
  const ends = all.filter(({ outcome }) => outcome !== "collapsed").map(({ time }) => time);
  const horizon = Math.min(...(ends.length > 0 ? ends : all.map(({ time }) => time)));
  const durationOf = ({ time, outcome }: RescueRun) => ({ time, isEvent: outcome === "collapsed" });
  return clusteredRestrictedMean(
    judged.map((group) => group.map((pair) => ({ x: durationOf(pair.arm), y: durationOf(pair.nothing) }))),
    horizon,
  );
}
