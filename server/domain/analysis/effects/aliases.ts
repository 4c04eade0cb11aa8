import { titleOfLevel } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { decompose } from "#packages/statistics";
import { describeTerm, makeDesign, toMatrix, type Levels, type Term } from "./design.ts";
import { dimensionFactors } from "#server/domain/plan/sweep/methods/factorLevels.ts";

export type Alias = {
  /** Linear combination of the effects in `madeOf`; if that list is empty, the effect never varies in the cells. */
  effect: string;
  madeOf: readonly string[];
  sentence: string;
};

export type DesignReport = {
  numCells: number;
  numParameters: number;
  rank: number;
  /** Number of cells minus rank, for more terms or a lack-of-fit test. */
  degreesLeft: number;
  /** Degrees of freedom of each term, and how many of those are separable from all other terms. */
  terms: readonly { term: string; degrees: number; separableDegrees: number }[];
  aliases: readonly Alias[];
};

/**
 * Determines which effects cells identify under a model, from their effective levels. Repeated cells (seeds) change
 * nothing.
 */
export function describeDesign(cells: readonly Levels[], terms: readonly Term[]): DesignReport {
  const design = makeDesign(cells, terms);
  const matrix = toMatrix(design, cells);
  const { independent, dependent } = decompose(matrix);
  const rank = independent.length;
  const label = (j: number): string => design.columns[j]?.label ?? "";
  const aliases = Array.from(dependent, ([j, coefficients]): Alias => {
    const madeOf = independent.filter((_, i) => (coefficients[i] ?? 0) !== 0 && independent[i] !== 0).map(label);
    return { effect: label(j), madeOf, sentence: explain(label(j), madeOf) };
  });
  const numCells = new Set(cells.map((cell) => matrixRow(cell, design.levels))).size;
  return {
    numCells,
    numParameters: design.columns.length,
    rank,
    degreesLeft: numCells - rank,
    terms: terms.map((term, index) => {
      const without = matrix.filter((_, j) => design.columns[j]?.term !== index);
      return {
        term: describeTerm(term),
        degrees: matrix.length - without.length,
        separableDegrees: rank - decompose(without).independent.length,
      };
    }),
    aliases,
  };
}

function explain(effect: string, madeOf: readonly string[]): string {
  if (madeOf.length === 0) return `${nameEffect(effect)} never varies in these cells`;
  return `${nameEffect(effect)} cannot be separated from ${madeOf.map(nameEffect).join(" and ")}`;
}

/** Formats the name of an effect: "clipping=sequence × sampling=dynamic" becomes "Turn clip × Dynamic". */
function nameEffect(effect: string): string {
  return effect
    .split(" × ")
    .map((part) => {
      const [factor, level = ""] = part.split("=");
      const dimension = dimensionFactors.find((one) => one === factor);
      return dimension ? titleOfLevel(dimension, level) : part;
    })
    .join(" × ");
}

function matrixRow(cell: Levels, levels: Readonly<Record<string, readonly string[]>>): string {
  return JSON.stringify(Object.keys(levels).map((factor) => cell[factor]));
}
