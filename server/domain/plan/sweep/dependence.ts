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

/** Numbers of dependent runs that an analysis leaves out, and of the runs that the branches continue. */
export type LeftOut = { numBranches: number; numOrigins: number; numStarts: number; numTrials: number };

/** Counts the dependent runs to leave out of `numRuns` chosen runs; null if none, or if there are no other runs. */
export function countLeftOut(
  dependent: readonly Dependence[],
  { numRuns, choice = "leftOut" }: { numRuns: number; choice?: DependentChoice | undefined },
): LeftOut | null {
  if (choice === "added" || dependent.length === 0 || dependent.length === numRuns) return null;
  const branches = dependent.flatMap((one) => (one.kind === "branch" ? [one.origin] : []));
  return {
    numBranches: branches.length,
    numOrigins: new Set(branches).size,
    numStarts: dependent.filter(({ kind }) => kind === "start").length,
    numTrials: dependent.filter(({ kind }) => kind === "trial").length,
  };
}

/** Lists the dependent runs: "15 branches of one run", "3 starts", "120 search trials". */
function describeLeftOut({ numBranches, numOrigins, numStarts, numTrials }: LeftOut): string {
  const origins = numOrigins === 1 ? "one run" : formatCount(numOrigins, "run");
  return [
    ...(numBranches > 0 ? [`${formatCount(numBranches, "branch", "branches")} of ${origins}`] : []),
    ...(numStarts > 0 ? [formatCount(numStarts, "start")] : []),
    ...(numTrials > 0 ? [formatCount(numTrials, "search trial")] : []),
  ].join(", ");
}

/** Returns the sentence for notes of tables and pages. */
export function tellLeftOut(leftOut: LeftOut): string {
  return `Left out, because they depend on earlier results: ${describeLeftOut(leftOut)}.`;
}
