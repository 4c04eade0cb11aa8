import { chiSquareUpperTail, holm, rank, tQuantile, mean, pairedTTest } from "#packages/statistics";

type Race = { kind: "friedman" | "t"; level: number; minBlocks: number };

/** Indices of the best, the remaining and the excluded configurations; `p`: p-value of the overall test. */
type RaceStanding = { best: number; left: number[]; dropped: number[]; p: number };

/**
 * Excludes configurations that are significantly worse than the best on the same seeds. Losses have shape
 * (configurations, seeds), where smaller is better; a seed is a block. `friedman` ranks configurations within each
 * block and, if the ranks differ, applies Conover's comparison with the best (F-Race; Birattari et al. 2002). `t`
 * uses paired t-tests against the best, with Holm's correction. No configuration is excluded before `minBlocks`
 * seeds.
 */
export function race({ kind, level, minBlocks }: Race, losses: readonly (readonly number[])[]): RaceStanding {
  const numBlocks = Math.min(...losses.map((row) => row.length));
  const rows = losses.map((row) => row.slice(0, numBlocks));
  const scores = kind === "friedman" ? rankSums(rows) : rows.map(mean);
  const best = scores.indexOf(Math.min(...scores));
  const all = Array.from(rows.keys());
  const nobody = { best, left: all, dropped: [], p: NaN };
  if (rows.length < 2 || numBlocks < minBlocks) return nobody;
  const { p, isWorse } =
    kind === "friedman" ? compareRanks(rows, { best, level }) : compareMeans(rows, { best, level });
  return { best, p, left: all.filter((i) => !isWorse(i)), dropped: all.filter(isWorse) };
}

/** Rank sum R_j of each configuration over all seeds, shapes (configurations, seeds) → (configurations,). */
function rankSums(rows: readonly (readonly number[])[]): number[] {
  const ranks = ranksByBlock(rows);
  return rows.map((_, j) => ranks.reduce((sum, block) => sum + (block[j] ?? NaN), 0));
}

function ranksByBlock(rows: readonly (readonly number[])[]): number[][] {
  return (rows[0] ?? []).map((_, block) => rank(rows.map((row) => row[block] ?? NaN)).ranks);
}

export type Friedman = { statistic: number; p: number; standardError: number; df: number };

/** Friedman's test with ties; standard errors of differences of rank sums follow Conover 1999, section 5.8. */
export function friedman(rows: readonly (readonly number[])[]): Friedman {
  const [k, b] = [rows.length, rows[0]?.length ?? 0];
  const squares = ranksByBlock(rows)
    .flat()
    .reduce((sum, r) => sum + r * r, 0);
  const expected = (b * k * (k + 1) ** 2) / 4;
  const spread = rankSums(rows).reduce((sum, r) => sum + (r - (b * (k + 1)) / 2) ** 2, 0);
  const statistic = ((k - 1) * spread) / (squares - expected);
  const df = (b - 1) * (k - 1);
  const left = Math.max(0, 1 - statistic / (b * (k - 1)));
  const standardError = Math.sqrt((2 * b * (squares - expected) * left) / df);
  return { statistic, p: chiSquareUpperTail(statistic, k - 1), standardError, df };
}

type Against = { best: number; level: number };

function compareRanks(rows: readonly (readonly number[])[], { best, level }: Against) {
  const { p, standardError, df } = friedman(rows);
  const sums = rankSums(rows);
  const least = tQuantile(1 - (1 - level) / 2, df) * standardError;
  // If all ranks are equal, p is NaN, and no configuration counts as worse than the best.
  const isWorse = (j: number): boolean => p < 1 - level && (sums[j] ?? NaN) - (sums[best] ?? NaN) > least;
  return { p, isWorse };
}

function compareMeans(rows: readonly (readonly number[])[], { best, level }: Against) {
  const others = Array.from(rows.keys()).filter((j) => j !== best);
  const ps = holm(others.map((j) => pairedTTest(rows[j] ?? [], rows[best] ?? []).p));
  const pOf = new Map(others.map((j, i) => [j, ps[i] ?? NaN]));
  return {
    p: Math.min(...ps.filter((p) => !Number.isNaN(p))),
    isWorse: (j: number) => (pOf.get(j) ?? NaN) < 1 - level,
  };
}
