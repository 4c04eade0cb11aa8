import { add, constant, gather, matmul, mul, reshape, slice } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";

const base = 10_000;

/**
 * Turns each pair of a head's coordinates (i, i + D/2) by an angle proportional to its position (RoPE,
 * arXiv:2104.09864), so that products of queries and keys see distances alone and a text may be longer than any
 * trained on.
 * @param x (B, H, T, D) queries or keys, D even
 * @param positions (B, T) i64 positions below `contextTokens`; 0, 1, 2, … without them
 */
export function rotate(x: Tensor, contextTokens: number, positions?: Tensor): Tensor {
  const [numRows = 0, , numTokens = 0, width = 0] = x.shape;
  const half = width / 2;
  const table = (of: (angle: number) => number): Tensor => {
    const rows = positions ? contextTokens : numTokens;
    const values = Float32Array.from({ length: rows * width }, (_, i) => {
      const pair = (i % width) % half;
      return of(Math.floor(i / width) * base ** (-pair / half));
    });
    const all = constant(values, [rows, width]);
    return positions ? reshape(gather(all, positions), [numRows, 1, numTokens, width]) : slice(all, 0, [0, numTokens]);
  };
  return add(mul(x, table(Math.cos)), mul(matmul(x, quarterTurn(width)), table(Math.sin)));
}

/** (D, D): x ↦ (−second half of x, first half of x) as a product from the right. */
function quarterTurn(width: number): Tensor {
  const half = width / 2;
  const values = new Float32Array(width * width);
  for (let i = 0; i < half; i++) {
    values[(i + half) * width + i] = -1;
    values[i * width + i + half] = 1;
  }
  return constant(values, [width, width]);
}
