import { add, gather, matmul, mul, reluSquared, reshape, rmsNorm, slice, transpose } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { dimensionsOf, type BuiltInConfig } from "./config.ts";
import { plainTables, rotate } from "./rotary.ts";
import { llamaPieces } from "./llama/pieces.ts";
import { type Network, type Pieces, parameter, pick } from "./network.ts";

/** Building blocks of the policy's transformer, pretrained or built-in. */
export function piecesOf({ parameters, config }: Network): Pieces {
  return config.architecture ? llamaPieces({ parameters, config }) : builtInPieces({ parameters, config });
}

const epsilon = 1e-6;

/** Pre-norm (RMSNorm without gain), squared-ReLU feed-forward (arXiv:2109.08668), tied embeddings, no biases. */
function builtInPieces({ parameters, config }: Network<BuiltInConfig>): Pieces {
  const { width, headWidth } = dimensionsOf(config);
  const scale = 1 / Math.sqrt(headWidth);
  const of = (name: string): Tensor => parameter(parameters, name);
  const norm = (x: Tensor): Tensor => rmsNorm(x, epsilon);
  const turn = (x: Tensor, positions?: Tensor): Tensor => {
    if (config.positions === "learned") return x;
    const numPositions = positions ? config.contextTokens : (x.shape[2] ?? 0);
    return rotate(x, plainTables(numPositions, headWidth), positions);
  };
  return {
    embed(tokens, positions) {
      const embedded = gather(of("embedding"), tokens);
      if (config.positions === "rotary") return embedded;
      const [, numTokens = 0] = tokens.shape;
      const table = of("positions");
      return add(embedded, positions ? gather(table, positions) : slice(table, 0, [0, numTokens]));
    },
    project(x, layer, { positions, selection } = {}) {
      const qkv = of(`layer${layer}/qkv`);
      const normal = norm(x);
      const [query, key, v] = selection
        ? [
            ...toHeads(matmul(pick(normal, selection), slice(qkv, 1, [0, width])), 1, headWidth),
            ...toHeads(matmul(normal, slice(qkv, 1, [width, 3 * width])), 2, headWidth),
          ]
        : toHeads(matmul(normal, qkv), 3, headWidth);
      if (!query || !key || !v) throw new Error("attention without heads");
      // Selected queries are rotated before scaling, others after it: only so are recorded runs reproduced bitwise.
      const q = selection ? mul(turn(query, selection.positions), scale) : turn(mul(query, scale), positions);
      return { q, k: turn(key, positions), v };
    },
    output: (attended, layer) => matmul(attended, of(`layer${layer}/out`)),
    feedForward: (x, layer) => matmul(reluSquared(matmul(norm(x), of(`layer${layer}/up`))), of(`layer${layer}/down`)),
    finalNorm: norm,
    unembedding: () => of("embedding"),
  };
}

/** (B, T, count·width) → `count` tensors, such as queries, keys and values: (B, H, T, headWidth). */
function toHeads(x: Tensor, count: number, headWidth: number): Tensor[] {
  const [numRows = 0, numTokens = 0, width = 0] = x.shape;
  const numHeads = width / count / headWidth;
  const heads = transpose(reshape(x, [numRows, numTokens, count, numHeads, headWidth]), [2, 0, 3, 1, 4]);
  return Array.from({ length: count }, (_, i) =>
    reshape(slice(heads, 0, [i, i + 1]), [numRows, numHeads, numTokens, headWidth]),
  );
}
