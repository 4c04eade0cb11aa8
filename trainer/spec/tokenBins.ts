import { z } from "zod";

const decades = Array.from({ length: 21 }, (_, i) => 10 ** ((i - 16) / 4));
const quarters = Array.from({ length: 16 }, (_, i) => 0.125 + i / 4);
const around = (positive: readonly number[]): number[] => [...positive.map((x) => -x).toReversed(), ...positive];

/**
 * Inner edges of fixed bins, so that counts of any iterations, parts, seeds and versions can be added. Bin i holds
 * values from edge i − 1 (inclusive) to edge i; the first and last bin are open. The middle bin is around 0.
 */
export const tokenBins = {
  /** ±10^(−4) to ±10, four per decade. */
  logRatio: around(decades),
  /** ±0.125 to ±3.875 in steps of 0.25. */
  advantage: around(quarters),
} as const satisfies Record<string, readonly number[]>;
type Binned = keyof typeof tokenBins;

const counts = (name: Binned) => z.array(z.int().min(0)).length(tokenBins[name].length + 1);
/** Numbers of tokens per bin. */
export const TokenCounts = z.object({ logRatio: counts("logRatio"), advantage: counts("advantage") });
export type TokenCounts = z.infer<typeof TokenCounts>;

export function emptyCounts(): TokenCounts {
  const zeros = (name: Binned) => Array.from({ length: tokenBins[name].length + 1 }, () => 0);
  return { logRatio: zeros("logRatio"), advantage: zeros("advantage") };
}

/** Adds one token to counts. A value that is not a number is in no bin. */
export function countToken(counts: TokenCounts, token: Record<Binned, number>): void {
  for (const name of ["logRatio", "advantage"] as const) {
    const x = token[name];
    if (Number.isNaN(x)) continue;
    const bin = tokenBins[name].reduce((index, edge) => index + Number(x >= edge), 0);
    counts[name][bin] = (counts[name][bin] ?? 0) + 1;
  }
}

export function addCounts(a: TokenCounts, b: TokenCounts): TokenCounts {
  const add = (name: Binned) => a[name].map((x, i) => x + (b[name][i] ?? 0));
  return { logRatio: add("logRatio"), advantage: add("advantage") };
}
