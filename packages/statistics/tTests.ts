import { tQuantile, tUpperTail } from "./distributions.ts";
import type { Interval } from "./rates.ts";
import { isConstant, mean, sem, variance } from "./summary.ts";

/**
 * `difference` is mean(x) − mean(y) with its interval; p is two-sided. With fewer than two values or without variance,
 * all but the difference are NaN.
 */
export type TTest = { t: number; df: number; p: number; difference: number; interval: Interval };

const nothing = { t: NaN, df: NaN, p: NaN, interval: { low: NaN, high: NaN } } as const;

/** Welch's t-test: independent samples, unequal variances. The default for seeds. */
export function welchTest(x: readonly number[], y: readonly number[], level = 0.95): TTest {
  if (isConstant(x) || isConstant(y)) return { ...nothing, difference: mean(x) - mean(y) };
  const [fromX, fromY] = [variance(x) / x.length, variance(y) / y.length];
  const df = (fromX + fromY) ** 2 / (fromX ** 2 / (x.length - 1) + fromY ** 2 / (y.length - 1));
  return toTest(mean(x) - mean(y), Math.sqrt(fromX + fromY), { df, level });
}

/** Paired t-test, valid only if x[i] and y[i] share their randomness. An equal seed in two methods is not enough. */
export function pairedTTest(x: readonly number[], y: readonly number[], level = 0.95): TTest {
  const differences = x.map((value, i) => value - (y[i] ?? NaN));
  if (variesByRoundingAlone(x, differences)) return { ...nothing, difference: mean(differences) };
  return toTest(mean(differences), sem(differences), { df: differences.length - 1, level });
}

/** True where differences vary only by rounding: 0.3 − 0.1 and 0.4 − 0.2 are equal. */
function variesByRoundingAlone(x: readonly number[], differences: readonly number[]): boolean {
  if (differences.length < 2) return false;
  const size = Math.max(...x.map(Math.abs), ...differences.map(Math.abs));
  return Math.max(...differences) - Math.min(...differences) <= 4 * Number.EPSILON * size;
}

function toTest(difference: number, error: number, { df, level }: { df: number; level: number }): TTest {
  const t = difference / error;
  const halfWidth = tQuantile((1 + level) / 2, df) * error;
  const interval = { low: difference - halfWidth, high: difference + halfWidth };
  return { t, df, p: Math.min(1, 2 * tUpperTail(Math.abs(t), df)), difference, interval };
}
