import { mean, decompose, dot, squaresWithin, type Columns } from "#packages/statistics";
import { groupByCell, makeDesign, toMatrix, type Observation, type Term } from "./design.ts";

/**
 * Returns an orthonormal basis of what each term adds to all terms that do not contain it; empty for a fully aliased
 * term.
 */
export function termSpaces(observations: readonly Observation[], terms: readonly Term[]): Columns[] {
  const rows = observations.map(({ levels }) => levels);
  const { columns } = makeDesign(rows, terms);
  const matrix = toMatrix({ columns }, rows);
  const pick = (isWanted: (term: number) => boolean): Columns =>
    matrix.filter((_, j) => isWanted(columns[j]?.term ?? -1));
  return terms.map((term, index) => {
    const others = pick((other) => other !== index && !contains(terms[other] ?? [], term));
    const { basis, independent } = decompose([...others, ...pick((other) => other === index)]);
    return basis.filter((_, i) => (independent[i] ?? 0) >= others.length);
  });
}

function contains(outer: Term, inner: Term): boolean {
  return outer.length > inner.length && inner.every(({ factor }) => outer.some((part) => part.factor === factor));
}

export type ErrorTerm = {
  squares: number;
  df: number;
  /** `residual` if no cell has two seeds. */
  source: "seeds" | "residual";
};

export function prepareError(
  observations: readonly Observation[],
  basis: Columns,
): (values: readonly number[]) => ErrorTerm {
  const indexed = observations.map((observation, i) => ({ ...observation, value: i }));
  const cells = groupByCell(indexed).map((cell) => cell.map(({ value }) => value));
  const df = observations.length - cells.length;
  if (df === 0) {
    return (values) => ({
      // Rounding may give a small negative value.
      squares: Math.max(0, dot(values, values) - squaresWithin(basis, values)),
      df: values.length - basis.length,
      source: "residual",
    });
  }
  return (values) => {
    const squares = cells.reduce((total, runs) => {
      const cellValues = runs.map((i) => values[i] ?? NaN);
      const centre = mean(cellValues);
      return total + cellValues.reduce((sum, value) => sum + (value - centre) ** 2, 0);
    }, 0);
    return { squares, df, source: "seeds" };
  };
}
