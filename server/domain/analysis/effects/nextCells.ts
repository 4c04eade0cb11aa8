import { dimensionFactors, factorLevels } from "#server/domain/plan/sweep/methods/factorLevels.ts";
import type { Method } from "#trainer/spec/method.ts";
import { groupBy } from "#packages/base";
import { describeDesign } from "./aliases.ts";
import { decompose, dot } from "#packages/statistics";
import { type Design, type Levels, makeDesign, type Term, toMatrix } from "./design.ts";
import { averageOver, weightsOf } from "./fit.ts";

export type NextCell = {
  levels: Levels;
  /** Aliases (confounded effects) that runs of this cell would separate. */
  resolves: readonly string[];
  /**
   * Comparison whose interval this cell would narrow most, to the fraction `widthShare` of its width at the same seed
   * noise.
   */
  narrows?: { factor: string; level: string; against: string; widthShare: number };
};

/**
 * Ranks untested cells by the number of aliases that they resolve, then by how much they narrow an interval. Candidates
 * are given, because not every combination exists (a turn-level ratio fixes the aggregation).
 */
export function rankNextCells(
  runs: readonly Levels[],
  candidates: readonly Levels[],
  { terms, numSeeds = 1 }: { terms: readonly Term[]; numSeeds?: number },
): NextCell[] {
  const known = describeDesign(runs, terms);
  const contrastsOf = prepareContrasts(runs, terms);
  const widths = contrastWidths(runs, contrastsOf(runs));
  return candidates
    .map((levels) => {
      const extended = [...runs, ...Array.from({ length: numSeeds }, () => levels)];
      const left = new Set(describeDesign(extended, terms).aliases.map(({ effect }) => effect));
      const resolves = known.aliases.filter(({ effect }) => !left.has(effect)).map(({ sentence }) => sentence);
      const [narrowest] = contrastWidths(extended, contrastsOf(extended))
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

type Contrasts = {
  design: Design;
  comparisons: readonly { factor: string; level: string; against: string; coefficients: readonly number[] }[];
};

/**
 * Returns a function that compares every level with its factor's reference level, once for all designs with the same
 * levels.
 */
function prepareContrasts(known: readonly Levels[], terms: readonly Term[]): (cells: readonly Levels[]) => Contrasts {
  const compared = Object.entries(makeDesign(known, terms).levels);
  const made = new Map<string, Contrasts["comparisons"]>();
  return (cells) => {
    const design = makeDesign(cells, terms);
    const key = JSON.stringify(design.levels);
    const comparisons =
      made.get(key) ??
      compared.flatMap(([factor, [against = "", ...others]]) => {
        const [first, ...rest] = [against, ...others].map((side) => averageOver(design, { [factor]: side }));
        return others.map((level, i) => {
          const coefficients = (rest[i] ?? []).map((x, j) => x - (first?.[j] ?? 0));
          return { factor, level, against, coefficients };
        });
      });
    made.set(key, comparisons);
    return { design, comparisons };
  };
}

/** Returns the relative width of each interval; NaN if the comparison is not estimable. */
function contrastWidths(cells: readonly Levels[], { design, comparisons }: Contrasts) {
  const decomposition = decompose(toMatrix(design, cells));
  return comparisons.map(({ factor, level, against, coefficients }) => {
    const weights = weightsOf({ decomposition }, coefficients);
    return { factor, level, against, width: weights ? Math.sqrt(dot(weights, weights)) : NaN };
  });
}

/**
 * Lists combinations of tested dimension levels that no run has, except those that couplings turn into another method.
 * A level's parameters come from the first tested method with it.
 */
export function untestedPoints(tested: readonly Method[]): Method[] {
  const known = new Set(tested.map(nameOf));
  let grid = tested.slice(0, 1);
  for (const factor of dimensionFactors) {
    const examples = firstOfEach(tested, (point) => factorLevels(point)[factor]);
    grid = grid.flatMap((point) => examples.map((example) => ({ ...point, [factor]: example[factor] })));
  }
  return firstOfEach(grid, nameOf).filter((point) => !known.has(nameOf(point)));
}

function firstOfEach(points: readonly Method[], keyOf: (point: Method) => string): Method[] {
  return [...groupBy(points, keyOf).values()].flatMap((alike) => alike.slice(0, 1));
}

/** Finds the method whose dimensions have these levels after couplings. */
export function findPoint(points: readonly Method[], levels: Readonly<Record<string, string>>): Method | undefined {
  return points.find((point) =>
    Object.entries(factorLevels(point)).every(([factor, level]) => levels[factor] === level),
  );
}

function nameOf(point: Method): string {
  return JSON.stringify(factorLevels(point));
}
