import { groupBy } from "#packages/base";

/** Level of each factor after couplings (for example, a turn-level ratio fixes the loss aggregation). */
export type Levels = Readonly<Record<string, string>>;

export type Observation = {
  levels: Levels;
  value: number;
  /** Key that the seeds of a cell share (default: the levels). Different cells may have equal levels. */
  cell?: string;
};

/**
 * One factor, or several for an interaction. With `level`, the term contrasts only that level with all others: a design
 * too small for a whole interaction may still estimate this product.
 */
export type Term = readonly { factor: string; level?: string }[];

export function main(factor: string): Term {
  return [{ factor }];
}

/** @testing */
export function interaction(...factors: readonly string[]): Term {
  return factors.map((factor) => ({ factor }));
}

/**
 * Makes the interaction of single levels, such as `{ advantage: "gigpo", sampling: "dynamic" }`.
 * @testing
 */
export function levelInteraction(levels: Levels): Term {
  return Object.entries(levels).map(([factor, level]) => ({ factor, level }));
}

export function describeTerm(term: Term): string {
  return term.map(({ factor, level }) => (level === undefined ? factor : `${factor}=${level}`)).join(" × ");
}

export type Column = { term: number; label: string; valueAt: (levels: Levels) => number };

export type Design = {
  terms: readonly Term[];
  /** Levels of each factor in order of first appearance; the first is the reference level. */
  levels: Readonly<Record<string, readonly string[]>>;
  /** Columns of the design matrix: the intercept (term −1), then the columns of each term. */
  columns: readonly Column[];
};

/**
 * Defines the columns of the design matrix: indicators of all levels except each factor's first, so that aliases name
 * levels. If all factors have two levels, they are coded −1 and +1, so that aliases read AB = CD. Estimates do not
 * depend on the coding.
 */
export function makeDesign(cells: readonly Levels[], terms: readonly Term[]): Design {
  const factors = [...new Set(terms.flatMap((term) => term.map(({ factor }) => factor)))];
  const levels = Object.fromEntries(
    factors.map((factor) => [factor, [...new Set(cells.map((cell) => cell[factor] ?? missing))]]),
  );
  const isTwoLevel = Object.values(levels).every((known) => known.length === 2);
  const intercept: Column = { term: -1, label: "mean", valueAt: () => 1 };
  const columns = terms.flatMap((term, index) =>
    term
      .map((part) => columnsOf(part, levels[part.factor] ?? [], isTwoLevel ? -1 : 0))
      .reduce(multiply)
      .map(({ label, valueAt }) => ({ term: index, label, valueAt })),
  );
  return { terms, levels, columns: [intercept, ...columns] };
}

/** Level of a factor that a cell does not have. */
const missing = "none";

type Coded = Omit<Column, "term">;

function columnsOf({ factor, level }: Term[number], levels: readonly string[], other: -1 | 0): Coded[] {
  const coded = level === undefined ? levels.slice(1) : [level];
  return coded.map((code) => ({
    label: `${factor}=${code}`,
    valueAt: (cell) => ((cell[factor] ?? missing) === code ? 1 : other),
  }));
}

function multiply(left: readonly Coded[], right: readonly Coded[]): Coded[] {
  return left.flatMap((a) =>
    right.map((b) => ({
      label: `${a.label} × ${b.label}`,
      valueAt: (cell: Levels) => a.valueAt(cell) * b.valueAt(cell),
    })),
  );
}

/** Computes the design matrix as columns, each with one entry per cell or run in `rows`. */
export function toMatrix({ columns }: Pick<Design, "columns">, rows: readonly Levels[]): number[][] {
  return columns.map(({ valueAt }) => rows.map(valueAt));
}

export function cellOf({ cell, levels }: Observation): string {
  return cell ?? JSON.stringify(Object.entries(levels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function groupByCell<Run extends Observation>(observations: readonly Run[]): Run[][] {
  return [...groupBy(observations, cellOf).values()];
}
