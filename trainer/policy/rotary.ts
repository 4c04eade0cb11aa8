import { add, constant, gather, matmul, mul, reshape, slice } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";

const base = 10_000;

/** RoPE's cosines and sines, (numPositions, D) for heads of width D. Coordinates i and i + D/2 form a pair. */
export type RotaryTables = { readonly numPositions: number; readonly cos: Float32Array; readonly sin: Float32Array };

/**
 * Rotates each pair of a head's coordinates (i, i + D/2) by an angle proportional to its position (RoPE,
 * arXiv:2104.09864). Products of queries and keys then depend only on distances between tokens.
 * @param x (B, H, T, D) queries or keys, D even
 * @param positions (B, T) i64 positions below `numPositions`; default 0, 1, 2, …
 */
export function rotate(x: Tensor, { numPositions, cos, sin }: RotaryTables, positions?: Tensor): Tensor {
  const [numRows = 0, , numTokens = 0, width = 0] = x.shape;
  const table = (values: Float32Array): Tensor => {
    const all = constant(values, [numPositions, width]);
    return positions ? reshape(gather(all, positions), [numRows, 1, numTokens, width]) : slice(all, 0, [0, numTokens]);
  };
  return add(mul(x, table(cos)), mul(matmul(x, quarterTurn(width)), table(sin)));
}

/** Makes RoPE tables for heads of the given width. The frequency decreases by the same factor from pair to pair. */
export function plainTables(numPositions: number, width: number): RotaryTables {
  const half = width / 2;
  return makeTables(numPositions, width, (position, pair) => position * base ** (-pair / half));
}

/** Makes RoPE tables; `angleOf` returns the angle of a pair at a position, in radians. */
export function makeTables(
  numPositions: number,
  width: number,
  angleOf: (position: number, pair: number) => number,
): RotaryTables {
  const table = (of: (angle: number) => number): Float32Array =>
    Float32Array.from({ length: numPositions * width }, (_, i) =>
      of(angleOf(Math.floor(i / width), (i % width) % (width / 2))),
    );
  return { numPositions, cos: table(Math.cos), sin: table(Math.sin) };
}

/** Matrix (D, D) that maps a row vector x to (−second half of x, first half of x), multiplied from the right. */
function quarterTurn(width: number): Tensor {
  const half = width / 2;
  const values = new Float32Array(width * width);
  for (let i = 0; i < half; i++) {
    values[(i + half) * width + i] = -1;
    values[i * width + i + half] = 1;
  }
  return constant(values, [width, width]);
}
