import { tUpperTail } from "./distributions.ts";
import type { Interval } from "./rates.ts";
import { tQuantile } from "./studentT.ts";
import { pairedTTest } from "./tTests.ts";

/** Two one-sided t-tests: p of the difference being at most −margin, at least +margin, and the larger of both. */
export type Equivalence = {
  difference: number;
  /** 90 %: within ±margin exactly where p is below .05. */
  interval: Interval;
  notBelow: number;
  notAbove: number;
  p: number;
  numPairs: number;
};

/**
 * Whether the mean difference of pairs lies within ±margin (Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987). All but the
 * difference are NaN where fewer than two pairs are there or all differ by the same.
 */
export function testEquivalence(x: readonly number[], y: readonly number[], margin: number): Equivalence {
  const { df, difference, interval } = pairedTTest(x, y, 0.9);
  const error = (interval.high - difference) / tQuantile(0.95, df);
  const notBelow = tUpperTail((difference + margin) / error, df);
  const notAbove = tUpperTail((margin - difference) / error, df);
  return { difference, interval, notBelow, notAbove, p: Math.max(notBelow, notAbove), numPairs: x.length };
}
