import { split } from "#trainer/spec/rng.ts";
import { directionSeeds } from "./directionSeeds.ts";

const numBits = 30;
/** Maximum number of parameters of a Sobol search: the number of direction numbers in the table. */
export const maxSobolDimensions = directionSeeds.length;

/** The direction numbers of one dimension as 30-bit integers (Joe & Kuo 2008, new-joe-kuo-6.21201). */
export function directionsOf(dimension: number): number[] {
  const seed = directionSeeds[dimension];
  if (seed === undefined) throw new RangeError(`dimension ${dimension}, there are ${maxSobolDimensions}`);
  const [polynomial, ...m] = seed;
  const degree = 31 - Math.clz32(polynomial);
  for (let j = m.length; j < numBits; j++) {
    if (degree === 0) {
      m.push(1);
      continue;
    }
    let next = m[j - degree] ?? 0;
    for (let k = 1; k <= degree; k++) {
      if ((polynomial >> (degree - k)) & 1) next = (next ^ ((m[j - k] ?? 0) * 2 ** k)) >>> 0;
    }
    m.push(next);
  }
  return m.map((value, j) => (value * 2 ** (numBits - 1 - j)) >>> 0);
}

/** Matoušek's linear scramble and a digital shift of one dimension: 30 rows of bits, the leading bit first in each. */
export type Scramble = { rows: readonly number[]; shift: number };

/** Lower triangular with ones on the diagonal, which preserves the net property. */
export function drawScramble(seed: number, dimension: number): Scramble {
  const rng = split(seed, "sobol", dimension);
  const rows = Array.from({ length: numBits }, (_, i) => {
    const diagonal = 2 ** (numBits - 1 - i);
    return diagonal + rng.int(2 ** i) * 2 * diagonal;
  });
  return { rows, shift: rng.int(2 ** numBits) };
}

/** Coordinate of point `index` (from 0) in [0, 1); points follow the Gray code order, as in SciPy. */
export function sobolCoordinate(index: number, directions: readonly number[], scramble?: Scramble): number {
  const gray = index ^ (index >>> 1);
  let x = 0;
  for (const [bit, direction] of directions.entries()) {
    if ((gray >>> bit) & 1) x ^= direction;
  }
  const scrambled = scramble === undefined ? x : multiply(scramble.rows, x) ^ scramble.shift;
  return (scrambled >>> 0) / 2 ** numBits;
}

/** Product of a bit matrix and a bit vector, modulo 2. */
function multiply(rows: readonly number[], x: number): number {
  let product = 0;
  for (const row of rows) product = product * 2 + parity(row & x);
  return product;
}

function parity(x: number): number {
  let folded = x;
  for (let shift = 16; shift > 0; shift >>= 1) folded ^= folded >>> shift;
  return folded & 1;
}
