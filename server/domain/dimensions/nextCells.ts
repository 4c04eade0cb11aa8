import { describeDesign } from "./aliases.ts";
import { decompose, dot } from "./decompose.ts";
import { makeDesign, toMatrix, type Levels, type Term } from "./design.ts";
import { averageOver, weightsOf } from "./fit.ts";

export type NextCell = {
  levels: Levels;
  /** Aliases that running it would break. */
  resolves: readonly string[];
  /** The comparison whose interval it would narrow most, and to what share of its width (same seed noise). */
  narrows?: { factor: string; level: string; against: string; widthShare: number };
};

/**
 * Untested cells, most useful first: those that break most aliases, then those that narrow an interval most. Candidates
 * are for the caller to give, because not every combination exists (a turn-level ratio fixes the aggregation).
 */
export function rankNextCells(
  runs: readonly Levels[],
  candidates: readonly Levels[],
  { terms, numSeeds = 1 }: { terms: readonly Term[]; numSeeds?: number },
): NextCell[] {
  const known = describeDesign(runs, terms);
  const widths = contrastWidths(runs, terms, runs);
  return candidates
    .map((levels) => {
      const extended = [...runs, ...Array.from({ length: numSeeds }, () => levels)];
      const left = new Set(describeDesign(extended, terms).aliases.map(({ effect }) => effect));
      const resolves = known.aliases.filter(({ effect }) => !left.has(effect)).map(({ sentence }) => sentence);
      const [narrowest] = contrastWidths(extended, terms, runs)
        .map((contrast, i) => ({ ...contrast, widthShare: contrast.width / (widths[i]?.width ?? NaN) }))
        .filter(({ widthShare }) => widthShare < 1 - 1e-9)
        .toSorted((a, b) => a.widthShare - b.widthShare);
      if (!narrowest) return { levels, resolves };
      const { factor, level, against, widthShare } = narrowest;
      return { levels, resolves, narrows: { factor, level, against, widthShare } };
    })
    .toSorted(
      (a, b) => b.resolves.length - a.resolves.length || (a.narrows?.widthShare ?? 1) - (b.narrows?.widthShare ?? 1),
    );
}

/** Relative width of every level's comparison with its factor's first; NaN where it cannot be estimated. */
function contrastWidths(runs: readonly Levels[], terms: readonly Term[], known: readonly Levels[]) {
  const design = makeDesign(runs, terms);
  const decomposition = decompose(toMatrix(design, runs));
  return Object.entries(makeDesign(known, terms).levels).flatMap(([factor, [against = "", ...others]]) =>
    others.map((level) => {
      const [a, b] = [level, against].map((own) => averageOver(design, { [factor]: own }));
      const weights = weightsOf(
        { decomposition },
        (a ?? []).map((x, j) => x - (b?.[j] ?? 0)),
      );
      return { factor, level, against, width: weights ? Math.sqrt(dot(weights, weights)) : NaN };
    }),
  );
}
