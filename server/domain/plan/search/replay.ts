import { decideOtherwise, type Decision, type Search } from "./decide.ts";
import { type Limit, spaceAt } from "./ladder.ts";
import type { Outcome, Trial } from "./trial.ts";

/** A stored decision, with the outcome of its trial; null while the outcome is unknown. */
export type KeptDecision = Decision & {
  outcome: Outcome | null;
  /** Step of the decision in the search for one method and environment, whose events are numbered as steps. */
  step: number;
};

/**
 * Repeats each decision of a search from the trials known and running when it was made. An entry is undefined if the
 * repeated decision equals the stored one, else it is the repeated decision.
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
      // A known trial whose outcome is now missing counts as failed, since the decision could not be repeated without
      // it.
      return kept.known.includes(number) ? { number, point, outcome: outcome ?? { kind: "lost" } } : { number, point };
    });
    return decideOtherwise({ ...search, space: spaceAt(search.space, limits, kept.step) }, trials, kept);
  });
}
