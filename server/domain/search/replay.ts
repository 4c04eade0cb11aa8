import { decideOtherwise, type Decision, type Search } from "./decide.ts";
import { type Limit, spaceAt } from "./ladder.ts";
import type { Outcome, Trial } from "./trial.ts";

/** A decision as it was kept, and what became of its trial; null while that is not known. */
export type KeptDecision = Decision & {
  outcome: Outcome | null;
  /** Its place in the order of all that happened in its arm. */
  step: number;
};

/**
 * Whether each decision of one arm is the one that the search takes from what was known and running then: undefined
 * where it is, else what it takes instead.
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
      // A trial that was known and is no more would be a decision nobody can repeat.
      return kept.known.includes(number) ? { number, point, outcome: outcome ?? { kind: "lost" } } : { number, point };
    });
    return decideOtherwise({ ...search, space: spaceAt(search.space, limits, kept.step) }, trials, kept);
  });
}
