import { followPaths } from "./crossings.ts";
import { invertFalling, normalUpperTail } from "./distributions.ts";

/**
 * Information about a difference at each look that permitted a test, the present look last: 1 / (1/n + 1/m) with n and m
 * seeds. Only ratios matter. One entry (or none) is a test at the planned seeds.
 */
export type Looks = readonly number[];

/**
 * Share of the level spent up to information I (Lan and DeMets, 1983): 1 − I₁ / 2I. The planned seeds spend half, twice
 * as many three quarters. It never ends, because no plan states how many seeds may be added.
 */
export const spentShare = (information: number, first: number): number => 1 - first / (2 * information);

/** Level at which the present look may reject, so that all looks together reject at most with probability `alpha`. */
export function nominalLevel(alpha: number, looks: Looks): number {
  if (looks.length < 2) return alpha;
  return 2 * normalUpperTail(boundariesOf(spend(alpha, looks), looks).at(-1) ?? NaN);
}

/**
 * Repeated p-value of the present look (Jennison and Turnbull, 1984): the smallest alpha at which it rejects.
 * @param p two-sided p-value of the test as if it were the only one
 */
export function sequentialP(p: number, looks: Looks): number {
  if (looks.length < 2 || !(p > 0 && p < 1)) return p;
  const [before = NaN, now = NaN] = spend(1, looks).slice(-2);
  const share = now - before;
  // Bonferroni's correction is nearly exact here, and the integration would run out of small numbers.
  if (p < 1e-30) return Math.min(1, p / share);
  const end = invertFalling(normalUpperTail, p / 2) * Math.sqrt(looks.at(-1) ?? NaN);
  // Logarithm of the probability of a first crossing now, divided by the one that alpha permits; it falls with alpha.
  const excess = (logAlpha: number) => {
    const { crossNext } = followPaths(spend(Math.exp(logAlpha), looks.slice(0, -1)), looks);
    // Paths never cross first now if earlier boundaries are far beyond: the floor keeps the logarithm finite.
    return Math.max(-50, Math.log(crossNext(end) / share) - logAlpha);
  };
  // Regula falsi (Anderson and Björck, 1973) between p, which is too small, and Bonferroni's correction, too large.
  let [kept, last] = [Math.log(p), Math.min(0, Math.log(p / share))];
  let [atKept, atLast] = [excess(kept), excess(last)];
  // Where Bonferroni's correction is exact, rounding decides the sign.
  if (atLast >= 0) return Math.min(1, p / share);
  for (let i = 0; i < 60 && Math.abs(atLast) > 1e-10; i++) {
    const next = (kept * atLast - last * atKept) / (atLast - atKept);
    const there = excess(next);
    if (there * atLast < 0) [kept, atKept] = [last, atLast];
    else atKept *= there / atLast < 1 ? 1 - there / atLast : 0.5;
    [last, atLast] = [next, there];
  }
  return Math.exp(last);
}

/** Probability of having crossed a boundary up to each look. */
function spend(alpha: number, looks: Looks): number[] {
  return looks.map((information) => alpha * spentShare(information, looks[0] ?? NaN));
}

/**
 * Two-sided boundaries of |Z| at each look. Without an effect, Z√I is a Brownian motion in the information I.
 * @param spent (K,) probability of having crossed a boundary up to each look, increasing
 * @param looks (K,) information, increasing
 * @returns (K,)
 */
export function boundariesOf(spent: readonly number[], looks: Looks): number[] {
  return followPaths(spent, looks).ends.map((end, k) => end / Math.sqrt(looks[k] ?? NaN));
}
