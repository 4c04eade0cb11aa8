/**
 * Upper bounds on training and sampling speed of a GPU, computed from the trainer's graphs and data sheets, without a
 * GPU: `node bench/compiled.mjs ceiling`. There are two bounds for each. Operations: the matrix products of a graph run
 * at the card's peak rate. Bytes: every operator reads its inputs and writes its result once, unfused, at the card's
 * memory bandwidth. The bench also prints the minimum traffic of any implementation: weights, gradients and optimizer
 * state in training, weights and cache in sampling. Launch overhead and caches are ignored: real speeds are lower for
 * small shapes, and fused operators move fewer bytes.
 */
import { gradients, inputsFirst } from "#trainer/graph/backward.ts";
import { numElements } from "#trainer/graph/shape.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { dimensionsOf, type LlamaConfig, type PolicyConfig } from "#trainer/policy/config.ts";
import { stepGraph } from "#trainer/policy/decodeGraphs.ts";
import { numParameters } from "#trainer/policy/parameters.ts";
import { passOf } from "./gradientPass.ts";
import { listProducts } from "./trainingFloor.ts";

/**
 * Peak rates from NVIDIA's data sheets of the H100 SXM5 and the GeForce RTX 4090, without sparsity. A multiply-add
 * counts as two operations.
 */
const cards = [
  { name: "H100", bytesPerSecond: 3.35e12, float32: 67e12, bf16: 989e12 },
  { name: "RTX 4090", bytesPerSecond: 1.008e12, float32: 82.6e12, bf16: 165.2e12 },
] as const;

const [trainingRows, samplingRows, promptTokens, newTokens] = [16, 64, 384, 128] as const;
const rowTokens = promptTokens + newTokens;

type Widths = readonly [
  numLayers: number,
  width: number,
  numHeads: number,
  numKeyValueHeads: number,
  feedForwardWidth: number,
];

function llama([numLayers, width, numHeads, numKeyValueHeads, feedForwardWidth]: Widths, vocabularySize: number) {
  const architecture: LlamaConfig["architecture"] = {
    family: "llama",
    numLayers,
    width,
    numHeads,
    numKeyValueHeads,
    headWidth: width / numHeads,
    feedForwardWidth,
    epsilon: 1e-6,
    maxTokens: rowTokens,
    isTied: true,
    hasHeadNorms: false,
    rotary: { base: 10_000, scaling: { kind: "default" } },
    biases: { queryKeyValue: false, output: false, feedForward: false },
  };
  return { architecture, vocabularySize, contextTokens: rowTokens };
}

/** Shapes of the built-in policy and of published models: SmolLM2-135M, and Qwen2.5-0.5B without its biases. */
const shapes: readonly (readonly [string, PolicyConfig])[] = [
  ["mini", { size: "mini", vocabularySize: 34, contextTokens: rowTokens, positions: "learned" }],
  ["25 M, 8 × 512", llama([8, 512, 8, 8, 1376], 34)],
  ["SmolLM2-135M", llama([30, 576, 9, 3, 1536], 49_152)],
  ["Qwen2.5-0.5B", llama([24, 896, 14, 2, 4864], 151_936)],
];

for (const [name, config] of shapes) {
  console.log(`${name}, ${(numParameters(config) / 1e6).toFixed(1)} M parameters`);
  reportTraining(config);
  reportSampling(config);
}

function reportTraining(config: PolicyConfig): void {
  const { loss, wrt } = passOf(config, { numRows: trainingRows, numTokens: rowTokens, numSelected: newTokens });
  const outputs = [loss, ...gradients(loss, Object.values(wrt))];
  // Minimum traffic of training: weights are read forward and backward, gradients written; AdamW reads parameter, two
  // moments and gradient, and writes three of them.
  const least = (3 + 7) * 4 * numParameters(config);
  const numTokens = trainingRows * rowTokens;
  line(`training, ${trainingRows} rows of ${rowTokens}`, {
    outputs,
    numTokens,
    least,
    more: 7 * 4 * numParameters(config),
  });
}

function reportSampling(config: PolicyConfig): void {
  const outputs = Object.values(stepGraph(config, samplingRows, rowTokens));
  const { numLayers, numKeyValueHeads, headWidth } = dimensionsOf(config);
  const cacheBytes = 2 * 4 * numLayers * samplingRows * numKeyValueHeads * headWidth * rowTokens;
  const least = 4 * numParameters(config) + cacheBytes;
  line(`sampling, ${samplingRows} rows, cache of ${rowTokens}`, { outputs, numTokens: samplingRows, least, more: 0 });
}

type Pass = {
  readonly outputs: readonly Tensor[];
  /** Number of tokens that the pass trains on, or generates. */
  readonly numTokens: number;
  /** Minimum number of bytes that any implementation of the pass must move. */
  readonly least: number;
  /** Number of bytes that are moved outside the pass's graph. */
  readonly more: number;
};

function line(what: string, { outputs, numTokens, least, more }: Pass): void {
  const operations = listProducts(outputs).reduce((total, { count, flops }) => total + count * flops, 0);
  const bytes = bytesMoved(outputs) + more;
  const perToken = [operations / numTokens / 1e6, bytes / numTokens / 1e6, least / numTokens / 1e6].map(toThree);
  console.log(`  ${what}: ${perToken[0]} MFLOP, ${perToken[1]} MB a token, at least ${perToken[2]} MB`);
  for (const { name, bytesPerSecond, float32, bf16 } of cards) {
    const seconds = { float32: operations / float32, bytes: bytes / bytesPerSecond };
    const ideal = Math.max(operations / float32, least / bytesPerSecond);
    const halved = Math.max(operations / bf16, least / 2 / bytesPerSecond);
    const [stands, fused, half] = [Math.max(seconds.float32, seconds.bytes), ideal, halved].map((time) =>
      toThree(numTokens / time / 1e3),
    );
    const limit = seconds.bytes > seconds.float32 ? "bytes" : "operations";
    console.log(
      `    ${name.padEnd(9)} as the graph stands ${stands} k tokens/s (${limit}), all fused ${fused} k, all fused in bf16 ${half} k`,
    );
  }
}

/** Counts the bytes that the operators of a graph read and write, four per value. */
function bytesMoved(outputs: readonly Tensor[]): number {
  const nodes = inputsFirst(outputs);
  const products = new Set(nodes.flatMap(({ kind, inputs }) => (kind === "matmul" ? inputs : [])));
  const others = new Set<Tensor>(nodes.flatMap(({ kind, inputs }) => (kind === "matmul" ? [] : inputs)));
  // A transposed operand costs nothing, because a matrix product reads it in place.
  const isRead = (node: Tensor): boolean => node.kind === "transpose" && products.has(node) && !others.has(node);
  return nodes.reduce((total, node) => {
    if (isFree(node.kind) || isRead(node)) return total;
    const read = node.kind === "gather" || node.kind === "slice" ? [node] : node.inputs;
    return total + 4 * [node, ...read].reduce((sum, { shape }) => sum + numElements(shape), 0);
  }, 0);
}

function isFree(kind: Tensor["kind"]): boolean {
  return kind === "reshape" || kind === "stopGradient" || kind === "input" || kind === "constant";
}

function toThree(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString("en");
}
