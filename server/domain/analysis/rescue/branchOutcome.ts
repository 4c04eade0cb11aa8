import type { CollapseCount, Outcome } from "#packages/detector";
import { formatCount, groupBy } from "#packages/base";
import { clusteredDifference, type Count, evidenceRules, type PairedEffect } from "#packages/statistics";
import { fisherWithin } from "../claims/sides.ts";
import { nothing } from "./rescueArms.ts";

/**
 * Collapse of a branch after its change. `before`: success had already fallen when the branch began, in this branch or
 * in the recorded run. `unclear` counts as not collapsed.
 */
export type BranchOutcome = "collapsed" | "kept" | "unclear" | "before" | "not judged" | "not judged yet";

type Fallen = Pick<Outcome, "word" | "iteration">;

/** Judges a branch that began after `iteration`. `origin`: label of the run that it continues. */
export function judgeBranch(label: Fallen, origin: Fallen | undefined, iteration: number): BranchOutcome {
  const hadFallen = ({ word, iteration: at }: Fallen) => word.startsWith("collapsed") && at !== null && at <= iteration;
  if (label.word === "not judged" || label.word === "not judged yet") return label.word;
  // Without the origin's label, nobody knows yet if its branches had already collapsed.
  if (origin?.word === "not judged yet") return "not judged yet";
  if (hadFallen(label) || (origin !== undefined && hadFallen(origin))) return "before";
  if (label.word.startsWith("collapsed")) return "collapsed";
  return label.word === "unclear" ? "unclear" : "kept";
}

/** Place of a branch in an experiment, and its outcome. */
export type JudgedBranch = {
  /** Collapsed run that the branch continues. */
  origin: string;
  /** Configuration of the origin, if intervals and tests are over configurations instead of origins. */
  configuration?: string;
  /** Iteration of the origin after which the branch begins. */
  iteration: number;
  /** `nothing` for an unchanged branch. */
  arm: string;
  continuation: number;
  outcome: BranchOutcome;
};

/**
 * True for branches that can be compared. Unchanged, continuation 0 is the recorded run itself, which was chosen because
 * it collapsed. All arms are compared over the same continuations, so they leave out number 0, too.
 */
export function isCompared({ continuation }: Pick<JudgedBranch, "continuation">): boolean {
  return continuation !== 0;
}

/** True if a collapse after the change was possible, and its absence is known. */
export function isAtRisk({ outcome }: Pick<JudgedBranch, "outcome">): boolean {
  return outcome === "collapsed" || outcome === "kept" || outcome === "unclear";
}

/** Lists `nothing` first, then changes in order of appearance. */
export function listArms(runs: readonly Pick<JudgedBranch, "arm">[]): string[] {
  const named = new Set(runs.map(({ arm }) => arm));
  return [nothing, ...[...named].filter((arm) => arm !== nothing)].filter((arm) => named.has(arm));
}

export type Pairing<Run> = { arm: Run; nothing: Run };

/** Independent unit of intervals and tests to which a branch belongs. */
export function unitOf({ origin, configuration }: Pick<JudgedBranch, "origin" | "configuration">): string {
  return configuration ?? origin;
}

/** Pairs branches of a change with unchanged ones of equal origin, iteration and continuation; by unit. */
export function pairByUnit<Run extends JudgedBranch>(runs: readonly Run[], arm: string): Pairing<Run>[][] {
  const nameOf = ({ origin, iteration, continuation }: Run) => JSON.stringify([origin, iteration, continuation]);
  const unchanged = new Map(runs.filter((run) => run.arm === nothing).map((run) => [nameOf(run), run]));
  const pairs = runs.flatMap((run): Pairing<Run>[] => {
    const other = run.arm === arm ? unchanged.get(nameOf(run)) : undefined;
    return other ? [{ arm: run, nothing: other }] : [];
  });
  return [...groupBy(pairs, (pair) => unitOf(pair.arm)).values()];
}

export type CollapseEffect = PairedEffect & {
  numOrigins: number;
  /** Changed and unchanged branches of the pairs. */
  changed: CollapseCount;
  unchanged: CollapseCount;
  /**
   * Fisher's exact p within origins and iterations. It needs no normal distribution, but disregards that the effect may
   * differ between origins.
   */
  exactP: number;
};

/** Difference in the share of branches that collapsed after the change, over pairs in which neither fell before. */
export function compareCollapses(runs: readonly JudgedBranch[], arm: string): CollapseEffect {
  const origins = pairByUnit(runs, arm)
    .map((own) => own.filter((pair) => isAtRisk(pair.arm) && isAtRisk(pair.nothing)))
    .filter(({ length }) => length > 0);
  const valueOf = ({ outcome }: JudgedBranch): number => (outcome === "collapsed" ? 1 : 0);
  const pairs = origins.flat();
  const blocks = [...groupBy(pairs, (pair) => JSON.stringify([pair.arm.origin, pair.arm.iteration])).values()];
  const tables = blocks.map(
    (own) => [toCount(own.map((pair) => pair.arm)), toCount(own.map((pair) => pair.nothing))] as const,
  );
  return {
    ...clusteredDifference(
      origins.map((own) => own.map((pair) => ({ x: valueOf(pair.arm), y: valueOf(pair.nothing) }))),
    ),
    numOrigins: origins.length,
    changed: countCollapses(pairs.map((pair) => pair.arm)),
    unchanged: countCollapses(pairs.map((pair) => pair.nothing)),
    exactP: tables.length === 0 ? NaN : fisherWithin(tables),
  };
}

/** "412 of 720 branches are still being judged" */
export function describeAwaited(numAwaited: number, numRuns: number): string {
  return `${numAwaited.toLocaleString("en-US")} of ${formatCount(numRuns, "branch", "branches")} ${numAwaited === 1 ? "is" : "are"} still being judged`;
}

/** Counts collapses after the change, among branches that had not collapsed before it. */
export function countCollapses(runs: readonly Pick<JudgedBranch, "outcome">[]): CollapseCount {
  const count = (outcome: BranchOutcome): number => runs.filter((run) => run.outcome === outcome).length;
  const [numCollapsed, numUnclear] = [count("collapsed"), count("unclear")];
  return { numJudged: numCollapsed + numUnclear + count("kept"), numCollapsed, numUnclear };
}

function toCount(runs: readonly JudgedBranch[]): Count {
  const { numCollapsed: k, numJudged: n } = countCollapses(runs);
  return { k, n };
}

/**
 * Returns the p-value by which a change may be recommended for other runs: the larger of both tests, over at least three
 * origins. Without variance between origins, only the exact test exists.
 */
export function recommendationP({ p, exactP, numOrigins }: CollapseEffect): number {
  if (numOrigins < evidenceRules.forIntervals) return NaN;
  return Number.isNaN(p) ? exactP : Math.max(p, exactP);
}
