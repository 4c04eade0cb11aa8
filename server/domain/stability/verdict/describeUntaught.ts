import { formatCount } from "#server/domain/words.ts";

/** What pages and commands say of a sweep of which some runs succeed at nothing; undefined where none does. */
export function describeUntaught(numUntaught: number, numRuns: number): string | undefined {
  if (numUntaught === 0) return undefined;
  const which = `${numUntaught.toLocaleString("en-US")} of ${formatCount(numRuns, "run")}`;
  return (
    `${which} had a success of 0 before training and ${numUntaught === 1 ? "has" : "have"} had next to none since: ` +
    "a policy that never succeeds may have nothing to learn from and never learn"
  );
}
