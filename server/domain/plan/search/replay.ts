import { decideOtherwise, type Decision, type Search } from "./decide.ts";
import { type Limit, spaceAt } from "./ladder.ts";
import type { Outcome, Trial } from "./trial.ts";

/** A stored decision and the outcome of its trial; null if the outcome is not known yet. */
export type KeptDecision = Decision & {
  outcome: Outcome | null;
  /** Step of the decision; steps number all events of the search for one method and environment. */
  step: number;
};

/**
 * Repeats each decision of a search from the trials known and running at the time. Returns undefined if the result is
 * the same, else the differing decision.
 */
export function replay(
  search: Search,
  decisions: readonly KeptDecision[],
  limits: readonly Limit[] = [],
): (Decision | undefined)[] {
  const byNumber = new Map(decisions.map((decision) => [decision.number, decision]));
  return decisions.map((kept) => {
    const trials = [...kept.known, ...kept.running].map((number): Trial => {
      const { point = {}, outcome = null } = byNumber.get(number) ?? {};
      // A known trial whose outcome is missing now counts as failed; otherwise the decision could not be repeated.
      return kept.known.includes(number) ? { number, point, outcome: outcome ?? { kind: "lost" } } : { number, point };
    });
    return decideOtherwise({ ...search, space: spaceAt(search.space, limits, kept.step) }, trials, kept);
  });
}
