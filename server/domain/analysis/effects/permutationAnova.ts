import { split, type Rng } from "#trainer/spec/rng.ts";
import { squaresWithin } from "#packages/statistics";
import { describeTerm, type Observation, type Term } from "./design.ts";
import { fitDesign } from "./fit.ts";
import { prepareError, termSpaces } from "./spaces.ts";
import { groupBy } from "#packages/base";

export type PermutationOptions = {
  /** Factor that defines blocks (environment): values are permuted only among runs with equal levels of it. */
  blockFactor?: string;
  seed?: number;
  numPermutations?: number;
};

/**
 * Computes permutation p-values of the terms' F statistics. Collapses make values bimodal, so the F distribution does
 * not apply. The observed assignment counts as one of the samples.
 */
export function permutationAnova(
  observations: readonly Observation[],
  terms: readonly Term[],
  { blockFactor, seed = 0, numPermutations = 2000 }: PermutationOptions = {},
): { term: string; p: number }[] {
  const spaces = termSpaces(observations, terms);
  const isInBlocks = (term: Term): boolean => term.every(({ factor }) => factor === blockFactor);
  const errorOf = prepareError(observations, fitDesign(observations, terms).decomposition.basis);
  const ratios = (values: readonly number[]): number[] => {
    const { squares } = errorOf(values);
    return spaces.map((basis) => squaresWithin(basis, values) / squares);
  };
  const values = observations.map(({ value }) => value);
  const reached = ratios(values);
  const blocks = blocksOf(observations, blockFactor);
  const counts = spaces.map(() => 1);
  const rng = split(seed, "permutationAnova");
  for (let i = 1; i < numPermutations; i++) {
    for (const block of blocks) deal(values, block, rng);
    const drawn = ratios(values);
    for (const [t, ratio] of drawn.entries()) {
      if (ratio >= (reached[t] ?? NaN) * (1 - 1e-9)) counts[t] = (counts[t] ?? 0) + 1;
    }
  }
  return terms.map((term, t) => ({
    term: describeTerm(term),
    // NaN for a term of the block factor, which permutations do not change, and for an inseparable term.
    p: isInBlocks(term) || spaces[t]?.length === 0 ? NaN : (counts[t] ?? NaN) / numPermutations,
  }));
}

/** Groups run indices among which values may be exchanged. */
function blocksOf(observations: readonly Observation[], blockFactor: string | undefined): number[][] {
  const places = [...observations.keys()];
  const blockOf = (i: number) => (blockFactor === undefined ? "" : (observations[i]?.levels[blockFactor] ?? ""));
  return [...groupBy(places, blockOf).values()];
}

/** Shuffles (Fisher–Yates) the values at the run indices `places`. */
function deal(values: number[], places: readonly number[], rng: Rng): void {
  for (let i = places.length - 1; i > 0; i--) {
    const [a = 0, b = 0] = [places[i], places[rng.int(i + 1)]];
    const value = values[a] ?? NaN;
    values[a] = values[b] ?? NaN;
    values[b] = value;
  }
}
