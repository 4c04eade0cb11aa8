import { formatCount } from "#packages/base";

/** Note on a sweep with runs that never succeed; undefined if there are none. */
export function describeUntaught(numUntaught: number, numRuns: number): string | undefined {
  if (numUntaught === 0) return undefined;
  const which = `${numUntaught.toLocaleString("en-US")} of ${formatCount(numRuns, "run")}`;
  return (
    `${which} had a success of 0 before training and ${numUntaught === 1 ? "has" : "have"} had next to none since: ` +
    "a policy that never succeeds may have nothing to learn from and never learn"
  );
}
