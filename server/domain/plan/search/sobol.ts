import { split } from "#trainer/spec/rng.ts";

/**
 * Constants of each dimension of the Sobol sequence: the primitive polynomial as bits (leading bit included), then
 * the initial direction numbers (Joe & Kuo 2008).
 */
const directionSeeds: readonly (readonly [number, ...number[]])[] = [
  [1, 1],
  [3, 1],
  [7, 1, 3],
  [11, 1, 3, 1],
  [13, 1, 1, 1],
  [19, 1, 1, 3, 3],
  [25, 1, 3, 5, 13],
  [37, 1, 1, 5, 5, 17],
  [41, 1, 1, 5, 5, 5],
  [47, 1, 1, 7, 11, 19],
  [55, 1, 1, 5, 1, 1],
  [59, 1, 1, 1, 3, 11],
  [61, 1, 3, 5, 5, 31],
  [67, 1, 3, 3, 9, 7, 49],
  [91, 1, 1, 1, 15, 21, 21],
  [97, 1, 3, 1, 13, 27, 49],
  [103, 1, 1, 1, 15, 7, 5],
  [109, 1, 3, 1, 15, 13, 25],
  [115, 1, 1, 5, 5, 19, 61],
  [131, 1, 3, 7, 11, 23, 15, 103],
  [137, 1, 3, 7, 13, 13, 15, 69],
  [143, 1, 1, 3, 13, 7, 35, 63],
  [145, 1, 3, 5, 9, 1, 25, 53],
  [157, 1, 3, 1, 13, 9, 35, 107],
  [167, 1, 3, 1, 5, 27, 61, 31],
  [171, 1, 1, 5, 11, 19, 41, 61],
  [185, 1, 3, 5, 3, 3, 13, 69],
  [191, 1, 1, 7, 13, 1, 19, 1],
  [193, 1, 3, 7, 5, 13, 19, 59],
  [203, 1, 1, 3, 9, 25, 29, 41],
  [211, 1, 3, 5, 13, 23, 1, 55],
  [213, 1, 3, 7, 3, 13, 59, 17],
  [229, 1, 3, 1, 3, 5, 53, 69],
  [239, 1, 1, 5, 5, 23, 33, 13],
  [241, 1, 1, 7, 7, 1, 61, 123],
  [247, 1, 1, 7, 9, 13, 61, 49],
  [253, 1, 3, 3, 5, 3, 55, 33],
  [285, 1, 3, 1, 15, 31, 13, 49, 245],
  [299, 1, 3, 5, 15, 31, 59, 63, 97],
  [301, 1, 3, 1, 11, 11, 11, 77, 249],
  [333, 1, 3, 1, 11, 27, 43, 71, 9],
  [351, 1, 1, 7, 15, 21, 11, 81, 45],
  [355, 1, 3, 7, 3, 25, 31, 65, 79],
  [357, 1, 3, 1, 1, 19, 11, 3, 205],
  [361, 1, 1, 5, 9, 19, 21, 29, 157],
  [369, 1, 3, 7, 11, 1, 33, 89, 185],
  [391, 1, 3, 3, 3, 15, 9, 79, 71],
  [397, 1, 3, 7, 11, 15, 39, 119, 27],
];

const numBits = 30;
export const maxSobolDimensions = directionSeeds.length;

/** Returns the direction numbers of one dimension as 30-bit integers (Joe & Kuo 2008, new-joe-kuo-6.21201). */
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

/** Matoušek's linear scramble and digital shift for one dimension: 30 rows of bits, the leading bit first. */
export type Scramble = { rows: readonly number[]; shift: number };

/**
 * Samples the scramble of one dimension: a lower triangular bit matrix with ones on the diagonal, which preserves the
 * sequence's net property, and a shift.
 */
export function drawScramble(seed: number, dimension: number): Scramble {
  const rng = split(seed, "sobol", dimension);
  const rows = Array.from({ length: numBits }, (_, i) => {
    const diagonal = 2 ** (numBits - 1 - i);
    return diagonal + rng.int(2 ** i) * 2 * diagonal;
  });
  return { rows, shift: rng.int(2 ** numBits) };
}

/** Returns coordinate `index` (from 0) of a dimension's sequence, in [0, 1) and in Gray-code order, as in SciPy. */
export function sobolCoordinate(index: number, directions: readonly number[], scramble?: Scramble): number {
  const gray = index ^ (index >>> 1);
  let x = 0;
  for (const [bit, direction] of directions.entries()) {
    if ((gray >>> bit) & 1) x ^= direction;
  }
  const scrambled = scramble === undefined ? x : multiply(scramble.rows, x) ^ scramble.shift;
  return (scrambled >>> 0) / 2 ** numBits;
}

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
