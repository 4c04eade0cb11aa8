import { dimensionFactors, factorLevels } from "#server/domain/plan/sweep/factorLevels.ts";
import type { Method } from "#trainer/spec/method.ts";
import { describeDesign } from "./aliases.ts";
import { decompose, dot } from "#packages/statistics";
import { type Design, type Levels, makeDesign, type Term, toMatrix } from "./design.ts";
import { averageOver, weightsOf } from "./fit.ts";

export type NextCell = {
  levels: Levels;
  /** Aliases (confounded effects) that runs of this cell would separate. */
  resolves: readonly string[];
  /**
   * Comparison of two levels whose interval this cell would narrow most. `widthShare` is the new width as a fraction
   * of the current width, assuming the same seed noise.
   */
  narrows?: { factor: string; level: string; against: string; widthShare: number };
};

/**
 * Ranks untested cells: first those that resolve most aliases (confounded effects), then those that narrow an
 * interval most. The caller supplies the candidates, because not every combination exists (for example, a turn-level
 * ratio fixes the aggregation).
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
 * Returns a function that gives the comparisons of every level with its factor's reference level, for some cells. It
 * computes them once for all designs with the same levels.
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

/** Returns the relative width of each comparison's confidence interval; NaN if the comparison is not estimable. */
function contrastWidths(cells: readonly Levels[], { design, comparisons }: Contrasts) {
  const decomposition = decompose(toMatrix(design, cells));
  return comparisons.map(({ factor, level, against, coefficients }) => {
    const weights = weightsOf({ decomposition }, coefficients);
    return { factor, level, against, width: weights ? Math.sqrt(dot(weights, weights)) : NaN };
  });
}

/**
 * Lists untested methods: combinations of tested dimension levels that no run has. A level's parameters come from the
 * first tested method with it. Combinations that couplings turn into another method are excluded.
 */
export function untestedPoints(tested: readonly Method[]): Method[] {
  const known = new Set(tested.map(nameOf));
  const [first] = tested;
  if (!first) return [];
  let grid: Method[] = [first];
  for (const factor of dimensionFactors) {
    const examples = new Map<string, Method>();
    for (const point of tested) {
      const level = factorLevels(point)[factor];
      if (!examples.has(level)) examples.set(level, point);
    }
    grid = grid.flatMap((point) => [...examples.values()].map((example) => ({ ...point, [factor]: example[factor] })));
  }
  const fresh = new Map<string, Method>();
  for (const point of grid) {
    const name = nameOf(point);
    if (known.has(name) || fresh.has(name)) continue;
    fresh.set(name, point);
  }
  return [...fresh.values()];
}

/** Finds the method whose dimensions have these levels after couplings; undefined if there is none. */
export function findPoint(points: readonly Method[], levels: Readonly<Record<string, string>>): Method | undefined {
  return points.find((point) =>
    Object.entries(factorLevels(point)).every(([factor, level]) => levels[factor] === level),
  );
}

function nameOf(point: Method): string {
  return JSON.stringify(factorLevels(point));
}
