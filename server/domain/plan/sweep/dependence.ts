import { formatCount } from "#packages/base";

/**
 * Runs that depend on earlier results: branches and starts continue another run, trials were chosen by a search. They
 * are no independent samples of their method, because their origins or settings were selected by an outcome.
 */
export type Dependence = { kind: "branch" | "start"; origin: string } | { kind: "trial" };

type RunFacts = {
  initialisation: { kind: string; run?: string | null };
  /** True if the run's sweep is a search. */
  isOfSearch: boolean;
};

/** Decides if a run depends on earlier results; undefined for an independent run. */
export function dependenceOf({ initialisation: { kind, run }, isOfSearch }: RunFacts): Dependence | undefined {
  if (kind === "branch" || kind === "run") return { kind: kind === "run" ? "start" : "branch", origin: run ?? "" };
  return isOfSearch ? { kind: "trial" } : undefined;
}

/** Analyses of methods leave dependent runs out, unless the user adds them. */
export const dependentChoices = ["leftOut", "added"] as const;
export type DependentChoice = (typeof dependentChoices)[number];

/** Seeds of a configuration that are equal at every step count once. Tables up to those of this choice counted all. */
export type EqualChoice = "once" | "counted";

/** Early tables about alarms left out runs whose label is unclear. Queries without this choice are of such tables. */
export type UnclearChoice = "counted" | "leftOut";

/** Numbers of dependent runs that an analysis leaves out, and of the runs that the branches continue. */
type DependentRuns = { numBranches: number; numOrigins: number; numStarts: number; numTrials: number };

/** Runs that an analysis leaves out: dependent runs, and runs that are equal at every step to a counted one. */
export type LeftOut = DependentRuns & {
  numEqual: number;
  /** Sentences about equal runs. */
  equal: readonly string[];
};

/** Counts the dependent runs to leave out of `numRuns` chosen runs; null if none, or if there are no other runs. */
export function countLeftOut(
  dependent: readonly Dependence[],
  { numRuns, choice = "leftOut" }: { numRuns: number; choice?: DependentChoice | undefined },
): DependentRuns | null {
  if (choice === "added" || dependent.length === 0 || dependent.length === numRuns) return null;
  const branches = dependent.flatMap((one) => (one.kind === "branch" ? [one.origin] : []));
  return {
    numBranches: branches.length,
    numOrigins: new Set(branches).size,
    numStarts: dependent.filter(({ kind }) => kind === "start").length,
    numTrials: dependent.filter(({ kind }) => kind === "trial").length,
  };
}

/** True if branches, starts or search trials are left out. */
export function hasDependent({ numBranches, numStarts, numTrials }: LeftOut): boolean {
  return numBranches + numStarts + numTrials > 0;
}

/** Lists the dependent runs: "15 branches of one run", "3 starts", "120 search trials". */
function describeDependent({ numBranches, numOrigins, numStarts, numTrials }: LeftOut): string {
  const origins = numOrigins === 1 ? "one run" : formatCount(numOrigins, "run");
  return [
    ...(numBranches > 0 ? [`${formatCount(numBranches, "branch", "branches")} of ${origins}`] : []),
    ...(numStarts > 0 ? [formatCount(numStarts, "start")] : []),
    ...(numTrials > 0 ? [formatCount(numTrials, "search trial")] : []),
  ].join(", ");
}

/** Returns the sentences for notes of tables and pages. */
export function tellLeftOut(leftOut: LeftOut): string {
  const dependent = `Left out, because they depend on earlier results: ${describeDependent(leftOut)}.`;
  return [...(hasDependent(leftOut) ? [dependent] : []), ...leftOut.equal].join(" ");
}
