import { formatCount } from "#packages/base";

/** How a run came to be chosen. Each run has one of these words, which `choiceSql` reads from storage. */
export const choices = ["plan", "added seed", "search trial", "branch", "rescue arm", "start", "imported"] as const;
export type Choice = (typeof choices)[number];

/** How a run was chosen, as a fact about one run. */
export const choiceTitles: Readonly<Record<Choice, string>> = {
  plan: "by the plan",
  "added seed": "as a seed added after a look",
  "search trial": "as a trial of a search",
  branch: "as a branch",
  "rescue arm": "as an arm of a rescue",
  start: "as a start from a policy",
  imported: "by import",
};

/** A run's choice, and the run that a branch or start continues. */
export type ChosenRun = { choice: Choice; origin: string | null; hasOriginCollapsed: boolean };

/**
 * True for runs that an earlier result selected: branches and starts continue a run that was chosen, trials were chosen
 * by a search. They are no independent samples of their method.
 */
export function isDependent({ choice }: { choice: Choice }): boolean {
  return isBranch({ choice }) || choice === "start" || choice === "search trial";
}

function isBranch({ choice }: { choice: Choice }): boolean {
  return choice === "branch" || choice === "rescue arm";
}

/** Analyses of methods leave dependent runs out, unless the user adds them. */
export const dependentChoices = ["leftOut", "added"] as const;
export type DependentChoice = (typeof dependentChoices)[number];

/**
 * Counting of dependent runs by which a table is stored. `once`: of branches of one run with equal settings, one counts.
 * `every`: all count, as in former tables and in descriptions of single runs.
 */
export const storedChoices = ["leftOut", "once"] as const;
export type StoredChoice = (typeof storedChoices)[number];
export type DependentCounting = DependentChoice | StoredChoice | "every";

/** Seeds of a configuration that are equal at every step count once. Tables up to those of this choice counted all. */
export type EqualChoice = "once" | "counted";

/** Early tables about alarms left out runs whose label is unclear. Queries without this choice are of such tables. */
export type UnclearChoice = "counted" | "leftOut";

/** Numbers of dependent runs, and of the runs that the branches continue. */
type DependentRuns = {
  numBranches: number;
  numOrigins: number;
  /** Number of the branches' origins that collapsed. */
  numCollapsed: number;
  numStarts: number;
  numTrials: number;
};

/** Runs that count although they are not drawn from a plan. */
export type Included = DependentRuns & {
  numAdded: number;
  /** Number of looks at the results: 1, and 1 for each addition of seeds after a run had begun. */
  numLooks: number;
  numImported: number;
  /** Branches that do not count, because another branch of the same run has equal settings. */
  numRepeated: number;
};

/** Runs that an analysis leaves out: dependent runs, and runs that are equal at every step to a counted one. */
export type LeftOut = DependentRuns & {
  numEqual: number;
  /** Sentences about equal runs. */
  equal: readonly string[];
  included: Included | null;
};

const countOf = (runs: readonly ChosenRun[], choice: Choice): number =>
  runs.filter((one) => one.choice === choice).length;

function countDependent(runs: readonly ChosenRun[]): DependentRuns {
  const branches = runs.filter(isBranch);
  const collapsed = branches.filter(({ hasOriginCollapsed }) => hasOriginCollapsed);
  const numDistinct = (some: readonly ChosenRun[]) => new Set(some.map(({ origin }) => origin)).size;
  return {
    numBranches: branches.length,
    numOrigins: numDistinct(branches),
    numCollapsed: numDistinct(collapsed),
    numStarts: countOf(runs, "start"),
    numTrials: countOf(runs, "search trial"),
  };
}

type Chosen = {
  runs: readonly ChosenRun[];
  dependent?: DependentCounting | undefined;
  numRepeated?: number;
  numLooks?: number;
};

/** Counts the runs to leave out by their choice, and names the others; null if all runs are drawn from plans. */
export function countChoices({
  runs,
  dependent = "leftOut",
  numRepeated = 0,
  numLooks = 1,
}: Chosen): Omit<LeftOut, "equal"> | null {
  const areLeft = leavesOut(runs, dependent);
  const counted = areLeft ? runs.filter((run) => !isDependent(run)) : runs;
  const numImported = countOf(counted, "imported");
  const included: Included = {
    ...countDependent(counted),
    numAdded: countOf(counted, "added seed"),
    numLooks,
    numImported: numImported === counted.length ? 0 : numImported,
    numRepeated,
  };
  const isPlanned = Object.values({ ...included, numLooks: numLooks - 1 }).every((count) => count === 0);
  // A search, or starts alone, say so elsewhere; of branches alone, continuations look like seeds.
  const isSaid = dependent === "leftOut" && runs.every(isDependent) && !runs.some(isBranch);
  if (!areLeft && (isPlanned || isSaid)) return null;
  const left = countDependent(areLeft ? runs.filter(isDependent) : []);
  return { ...left, numEqual: 0, included: isPlanned ? null : included };
}

/** True if dependent runs are left out: there are some, beside others, and the user has not added them. */
export function leavesOut(runs: readonly ChosenRun[], dependent: DependentCounting = "leftOut"): boolean {
  const numDependent = runs.filter(isDependent).length;
  return dependent === "leftOut" && numDependent > 0 && numDependent < runs.length;
}

/** True if branches, starts or search trials are left out. */
export function hasDependent({ numBranches, numStarts, numTrials }: DependentRuns): boolean {
  return numBranches + numStarts + numTrials > 0;
}

/** Lists the dependent runs: "15 branches of one collapsed run", "3 starts", "120 search trials". */
function listDependent({ numBranches, numOrigins, numCollapsed, numStarts, numTrials }: DependentRuns): string[] {
  const collapsed = numCollapsed === numOrigins ? "collapsed " : "";
  const some = numCollapsed > 0 && numCollapsed < numOrigins ? ` (${numCollapsed} collapsed)` : "";
  const origins = numOrigins === 1 ? `one ${collapsed}run` : `${formatCount(numOrigins, `${collapsed}run`)}${some}`;
  return [
    ...(numBranches > 0 ? [`${formatCount(numBranches, "branch", "branches")} of ${origins}`] : []),
    ...(numStarts > 0 ? [formatCount(numStarts, "start")] : []),
    ...(numTrials > 0 ? [formatCount(numTrials, "search trial")] : []),
  ];
}

/** Names the counted runs that no plan drew: "Including 15 branches of one collapsed run.". */
function tellIncluded({ numAdded, numLooks, numImported, numRepeated, ...dependent }: Included): string[] {
  const looked = numLooks > 1 ? ` (looked ${numLooks} times)` : "";
  const added = numAdded > 0 ? [`${formatCount(numAdded, "seed")} added after the launch${looked}`] : [];
  const imported = numImported > 0 ? [formatCount(numImported, "imported run")] : [];
  const once = `; branches of one run with equal settings are no seeds and count once (${numRepeated} left out)`;
  const all = [...listDependent(dependent), ...added, ...imported];
  return all.length > 0 ? [`Including ${all.join(", ")}${numRepeated > 0 ? once : ""}.`] : [];
}

/** Returns the sentences for notes of tables and pages. */
export function tellLeftOut(leftOut: LeftOut): string {
  const dependent = `Left out, because they depend on earlier results: ${listDependent(leftOut).join(", ")}.`;
  const included = leftOut.included ? tellIncluded(leftOut.included) : [];
  return [...(hasDependent(leftOut) ? [dependent] : []), ...included, ...leftOut.equal].join(" ");
}
