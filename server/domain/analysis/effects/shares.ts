import { bootstrapAll, type Interval, mean, decompose, dot, squaresWithin } from "#packages/statistics";
import { describeTerm, groupByCell, makeDesign, toMatrix, type Observation, type Term } from "./design.ts";

export type VarianceShares = {
  terms: readonly { term: string; share: number; interval?: Interval }[];
  /** Variance between cells that the model's terms do not explain, as a fraction of the total. */
  notModelled: number;
  /** Variance between seeds of a cell, as a fraction of the total; 0 if no cell has two seeds. */
  seedNoise: number;
  hasSeedNoise: boolean;
};

/**
 * Computes each term's fraction of the variance: its mean over all orders in which main effects precede interactions
 * (Shapley value; LMG). With the unmodelled part and seed noise, fractions sum to 1.
 */
export function varianceShares(
  observations: readonly Observation[],
  terms: readonly Term[],
  options: { numResamples?: number; seed?: number } = {},
): VarianceShares {
  if (terms.length > maxTerms)
    throw new RangeError(`${terms.length} terms, but variance shares are computed for at most ${maxTerms}`);
  const cells = groupByCell(observations);
  const sharesOf = prepareShares(cells, terms);
  const strata = cells.map((cell) => cell.map(({ value }) => value));
  const shares = sharesOf(strata);
  const hasIntervals = strata.every(({ length }) => length >= 5);
  const { numResamples = 500, seed = 0 } = options;
  const drawn = hasIntervals ? bootstrapAll(strata, sharesOf, { numResamples, seed }) : [];
  return {
    terms: terms.map((term, t) => {
      const interval = drawn[t]?.interval;
      return { term: describeTerm(term), share: shares[t] ?? NaN, ...(interval && { interval }) };
    }),
    notModelled: shares[terms.length] ?? NaN,
    seedNoise: shares[terms.length + 1] ?? NaN,
    hasSeedNoise: observations.length > cells.length,
  };
}

const maxTerms = 10;

type Values = readonly (readonly number[])[];

/**
 * Returns a function from the values of each cell to the fractions (terms, not modelled, seed noise). Runs of a cell
 * have equal design rows, so squares are of cell means, weighted by the number of runs.
 */
function prepareShares(
  cells: readonly (readonly Observation[])[],
  terms: readonly Term[],
): (values: Values) => number[] {
  const rows = cells.map(([first]) => first?.levels ?? {});
  const weights = cells.map(({ length }) => Math.sqrt(length));
  const { columns } = makeDesign(rows, terms);
  const matrix = toMatrix({ columns }, rows).map((column) => column.map((x, cell) => x * (weights[cell] ?? 0)));
  const sets = listSets(terms).map((set) => ({
    set,
    basis: decompose(matrix.filter((_, j) => (columns[j]?.term ?? 0) === -1 || set & bit(columns[j]?.term ?? 0))).basis,
  }));
  const orders = countOrders(sets.map(({ set }) => set));
  return (values) => {
    const all = values.flat();
    const centre = mean(all);
    const total = all.reduce((sum, x) => sum + (x - centre) ** 2, 0);
    const baseline = all.length * centre * centre;
    const means = values.map((cellValues, cell) => mean(cellValues) * (weights[cell] ?? 0));
    const explained = new Map(sets.map(({ set, basis }) => [set, squaresWithin(basis, means) - baseline]));
    const shares = terms.map((_, t) => {
      const gains = orders.steps
        .filter(({ term }) => term === t)
        .map(({ from, weight }) => weight * ((explained.get(from | bit(t)) ?? 0) - (explained.get(from) ?? 0)));
      return gains.reduce((sum, x) => sum + x, 0) / total;
    });
    const modelled = (explained.get(orders.all) ?? 0) / total;
    const between = (dot(means, means) - baseline) / total;
    return [...shares, Math.max(0, between - modelled), Math.max(0, 1 - between)];
  };
}

function bit(term: number): number {
  return 2 ** term;
}

/** Lists the sets of terms, as bit masks, that contain the main effects of their interactions. */
function listSets(terms: readonly Term[]): number[] {
  const needed = terms.map((term) =>
    terms.reduce((bits, other, index) => {
      const isPart =
        other.length < term.length && other.every(({ factor }) => term.some((part) => part.factor === factor));
      return isPart ? bits | bit(index) : bits;
    }, 0),
  );
  return Array.from({ length: bit(terms.length) }, (_, set) => set).filter((set) =>
    needed.every((bits, t) => (set & bit(t)) === 0 || (set & bits) === bits),
  );
}

/** Computes, for each set of terms and next term, the fraction of allowed orders that begin so. */
function countOrders(sets: readonly number[]): {
  all: number;
  steps: { term: number; from: number; weight: number }[];
} {
  const all = Math.max(...sets);
  const known = new Set(sets);
  const numTerms = Math.log2(all + 1);
  const following = (set: number): number[] =>
    Array.from({ length: numTerms }, (_, t) => t).filter((t) => (set & bit(t)) === 0 && known.has(set | bit(t)));
  // Number of orders in which the terms of each set can be added, with only known sets on the way. Sets are in
  // ascending order, so subsets come first.
  const ways = new Map<number, number>([[0, 1]]);
  for (const set of sets) {
    for (const t of following(set)) ways.set(set | bit(t), (ways.get(set | bit(t)) ?? 0) + (ways.get(set) ?? 0));
  }
  const onwards = new Map<number, number>([[all, 1]]);
  for (const set of sets.toReversed()) {
    for (const t of following(set)) onwards.set(set, (onwards.get(set) ?? 0) + (onwards.get(set | bit(t)) ?? 0));
  }
  const total = ways.get(all) ?? 1;
  const steps = sets.flatMap((from) =>
    following(from).map((term) => ({
      term,
      from,
      weight: ((ways.get(from) ?? 0) * (onwards.get(from | bit(term)) ?? 0)) / total,
    })),
  );
  return { all, steps };
}
