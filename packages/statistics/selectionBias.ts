import { logGamma } from "./specialFunctions.ts";
import { formatCount } from "#packages/base";

export type Selection = { numEpisodes: number; numCheckpoints: number };

/** Selection bias E[max] − p of the best of k evaluations of a policy with success rate p; exact if independent. */
export function selectionBias(p: number, { numEpisodes, numCheckpoints }: Selection): number {
  // E[max] = Σ_j P(max > j) / n with P(max > j) = 1 − F(j)^k, where F is the binomial distribution of successes.
  let cumulative = 0;
  let expected = 0;
  for (let j = 0; j < numEpisodes; j++) {
    cumulative += binomialProbability(j, numEpisodes, p);
    expected += (1 - Math.min(1, cumulative) ** numCheckpoints) / numEpisodes;
  }
  return expected - p;
}

/** Returns the warning on selection bias that is printed beside every "best" value. */
export function warnOfSelection(selection: Selection, p = 0.7): string {
  const points = (100 * selectionBias(p, selection)).toFixed(1);
  const { numEpisodes, numCheckpoints } = selection;
  return `best: selected on the same data, so biased upwards: a constant rate of ${100 * p}% over ${formatCount(numCheckpoints, "evaluation")} of ${formatCount(numEpisodes, "episode")} would appear ${points} points higher`;
}

function binomialProbability(k: number, n: number, p: number): number {
  if (p <= 0) return k === 0 ? 1 : 0;
  if (p >= 1) return k === n ? 1 : 0;
  const logChoose = logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
  return Math.exp(logChoose + k * Math.log(p) + (n - k) * Math.log1p(-p));
}
