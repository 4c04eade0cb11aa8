import { decideOtherwise, type Decision, type Search } from "./decide.ts";
import { type Limit, spaceAt } from "./schedule.ts";
import type { Outcome, Trial } from "./trial.ts";

/** A stored decision, with the outcome of its trial; null while the outcome is unknown. */
export type KeptDecision = Decision & {
  outcome: Outcome | null;
  step: number;
};

/** Repeats each decision from the trials known and running when it was made; undefined if it equals the stored one. */
export function replay(
  search: Search,
  decisions: readonly KeptDecision[],
  limits: readonly Limit[] = [],
): (Decision | undefined)[] {
  const byNumber = new Map(decisions.map((decision) => [decision.number, decision]));
  return decisions.map((kept) => {
    const trials = [...kept.known, ...kept.running].map((number): Trial => {
      const { point = {}, outcome = null } = byNumber.get(number) ?? {};
      // A known trial whose outcome is now missing counts as failed; otherwise the decision could not be repeated.
      return kept.known.includes(number) ? { number, point, outcome: outcome ?? { kind: "lost" } } : { number, point };
    });
    return decideOtherwise({ ...search, space: spaceAt(search.space, limits, kept.step) }, trials, kept);
  });
}
