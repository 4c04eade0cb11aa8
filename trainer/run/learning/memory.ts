import type { HalfFormat } from "#trainer/graph/tensor.ts";
import { numElements } from "#trainer/graph/shape.ts";
import { dimensionsOf, type LlamaConfig, type PolicyConfig } from "#trainer/policy/config.ts";
import { frozenBytes, frozenShapes, numFrozen, numParameters, storedType } from "#trainer/policy/parameters.ts";
import type { BatchShape } from "./batch.ts";

/** Size of a training row: number of positions, and number of positions that predict a response token. */
type RowShape = Pick<BatchShape, "numTokens" | "numSelected">;
/** Memory limit of a run's process in MB, and `answered`, the maximum number of response tokens in a training row. */
type Room = { readonly limitMb: number; readonly answered: number };

/** Budgets within the memory limit. Equal specifications have equal budgets, so they do equal work. */
export type MemoryPlan = {
  /** Memory budget of all open training sessions together. */
  sessionBytes: number;
  /** Returns the memory of an open session for gradient passes. */
  gradientBytes: (shape: BatchShape) => number;
  /** Returns the memory of an open session for forward passes. */
  forwardBytes: (shape: BatchShape) => number;
  /** True if a gradient pass over such rows recomputes layers (gradient checkpointing). */
  recomputes: (row: RowShape) => boolean;
  /** Returns the maximum number of rows of this size in one micro-batch, a power of two. */
  rowLimit: (row: RowShape) => number;
  /** Number of responses decoded together, a power of two. */
  decodeRows: number;
  /** Memory budget for key–value caches that are kept between two turns of a conversation. */
  keptBytes: number;
};

/** Fraction of the memory beyond the parameters that training sessions may use; the rest is for sampling. */
const sessionShare = 0.7;
const maxRows = 64;
const maxDecodeRows = 128;

/** Memory of the process before its first pass: Node, ONNX Runtime and the program code. */
const baseBytes = 250e6;
/** Number of copies: parameters, two moments, a snapshot of these, reference, gradients; as many for a critic. */
const copiesOfParameters = 16;

export function planMemory(config: PolicyConfig, limitMb: number): MemoryPlan {
  const { numLayers, numKeyValueHeads, headWidth } = dimensionsOf(config);
  const available = Math.max(60e6, limitMb * 1e6 - baseBytes - parameterBytes(config));
  const sessionBytes = sessionShare * available;
  // A third of the budget per session lets gradient sessions of two widths and their forward sessions fit together,
  // so that they are not recreated repeatedly. Sessions of a pretrained model hold no activations between two passes.
  const passBytes = config.architecture ? sessionBytes : sessionBytes / 3;
  const fitting = (rowBytes: number): number => powerOfTwo(passBytes / rowBytes, maxRows);
  // Recomputing layers costs a third more time, so it is used only if fewer than two rows would fit otherwise.
  const recomputes = (row: RowShape): boolean =>
    config.architecture !== undefined && fitting(activationBytes(config, row)) < 2;
  const gradientBytes = ({ numRows, ...row }: BatchShape): number =>
    config.architecture ? tableBytes(row.numTokens) : numRows * activationBytes(config, row);
  // Bytes of all layers' key–value caches per decoded row: one cache in use, and one stored cache.
  const cacheBytes = 2 * 2 * numLayers * numKeyValueHeads * headWidth * config.contextTokens * 4;
  return {
    sessionBytes,
    gradientBytes,
    forwardBytes: (shape) => gradientBytes(shape) / 4,
    recomputes,
    rowLimit: (row) => fitting(recomputes(row) ? recomputedBytes(config, row) : activationBytes(config, row)),
    decodeRows: powerOfTwo((0.3 * available) / cacheBytes, maxDecodeRows),
    // Caches are reused only with pretrained models, since reuse changes the last bits of a run. Built-in policies
    // have short transcripts and recompute them.
    keptBytes: config.architecture ? 0.15 * available : 0,
  };
}

/** Bytes that a pretrained session holds between passes: graph file, causal mask, position tables. */
function tableBytes(numTokens: number): number {
  return 10e6 + 2 * 4 * numTokens ** 2;
}

/**
 * Activation bytes of one row in a gradient pass. A session that keeps its memory holds the activations twice: as its
 * first pass allocated them, and as planned for later passes. For 16 × 128 positions at 3 M parameters, 0.4 GB were
 * measured and this function gives 0.48 GB.
 */
function activationBytes(config: PolicyConfig, row: RowShape): number {
  const { numLayers } = dimensionsOf(config);
  const times = config.architecture ? 0.5 : 1;
  const { numTokens } = row;
  return 4 * (numTokens * numLayers * times * layerNumbers(config, numTokens) + logitNumbers(config, row));
}

/** Bytes of one row with recomputation: the residual stream before each layer, one layer's values and gradients. */
function recomputedBytes(config: PolicyConfig, row: RowShape): number {
  const { numLayers, width } = dimensionsOf(config);
  const { numTokens } = row;
  return 4 * (numTokens * (numLayers * width + layerNumbers(config, numTokens)) + logitNumbers(config, row));
}

/**
 * Numbers stored for logits: six per logit of a response token, measured at a vocabulary of 49,152. Built-in
 * policies: three per logit at every position.
 */
function logitNumbers(config: PolicyConfig, { numTokens, numSelected }: RowShape): number {
  const count = config.architecture ? 6 * numSelected : 3 * numTokens;
  return count * config.vocabularySize;
}

/** Per layer and position: 16 vectors of the width, 6 (gated: 10) of the feed-forward width, 3 score rows per head. */
function layerNumbers(config: PolicyConfig, numTokens: number): number {
  const { width, numHeads, feedForwardWidth } = dimensionsOf(config);
  return 16 * width + (config.architecture ? 10 : 6) * feedForwardWidth + 3 * numHeads * numTokens;
}

function parameterBytes(config: PolicyConfig): number {
  return 4 * copiesOfParameters * numParameters(config) + frozenBytes(config) + wideningBytes(config);
}

/** Bytes of 16-bit matrices converted to single precision one after another, at most two at once. */
function wideningBytes(config: PolicyConfig): number {
  const sizes = Object.entries(frozenShapes(config)).map(([name, shape]) =>
    storedType(config, name, shape) === "f32" || name === "embedding" ? 0 : numElements(shape),
  );
  return 2 * 4 * Math.max(0, ...sizes);
}

/**
 * Decides if a base model's weights below LoRA adapters stay in 16 bits, given the 16-bit format of the model's file.
 * Every pass must convert them, so they stay in 16 bits only if f32 leaves too little memory for two rows of full
 * length.
 */
export function chooseHalves(config: LlamaConfig, halves: HalfFormat | undefined, room: Room): LlamaConfig {
  const row = longestRow(config.contextTokens, room);
  if (!config.lora || !halves || !planMemory(config, room.limitMb).recomputes(row)) return config;
  return { ...config, halves };
}

/** Estimated memory for training a pretrained model with one row of full context length, in MB. */
export type MemoryNeed = {
  /** Frozen parameters, and trained ones with copies, optimizer moments and gradients. */
  parametersMb: number;
  contextTokens: number;
  /** 16-bit format of the matrices below LoRA adapters; null if they have single precision. */
  halves: HalfFormat | null;
  /** Memory of the row's activations. `recomputes` is true if layers must be recomputed for the row to fit. */
  rowMb: number;
  recomputes: boolean;
  /** Total memory in MB, including sampling and the trainer's process. */
  neededMb: number;
  /** Reason why the model exceeds the memory limit, with a remedy; null if it fits. */
  problem: string | null;
};

function longestRow(numTokens: number, { answered }: Room): RowShape {
  return { numTokens, numSelected: Math.min(numTokens, answered) };
}

export function memoryOf(config: PolicyConfig, room: Room): MemoryNeed {
  const { contextTokens } = config;
  const { limitMb } = room;
  const held = baseBytes + parameterBytes(config);
  const minBytes = (numTokens: number): number =>
    held + recomputedBytes(config, longestRow(numTokens, room)) / sessionShare;
  const row = longestRow(contextTokens, room);
  const recomputes = planMemory(config, limitMb).recomputes(row);
  const rowBytes = recomputes ? recomputedBytes(config, row) : activationBytes(config, row);
  const shorter = Array.from({ length: Math.floor(contextTokens / 64) }, (_, i) => 64 * (i + 1));
  const fitting = shorter.findLast((numTokens) => minBytes(numTokens) <= limitMb * 1e6);
  const need = {
    parametersMb: Math.ceil(parameterBytes(config) / 1e6),
    contextTokens,
    halves: (config.architecture && config.halves) ?? null,
    rowMb: Math.ceil(rowBytes / 1e6),
    recomputes,
    neededMb: Math.ceil((held + rowBytes / sessionShare) / 1e6),
  };
  const problem = minBytes(contextTokens) > limitMb * 1e6 ? explain(need, config, { limitMb, fitting }) : null;
  return { ...need, problem };
}

function explain(
  { parametersMb, contextTokens, rowMb, neededMb }: Omit<MemoryNeed, "problem">,
  config: PolicyConfig,
  { limitMb, fitting }: { limitMb: number; fitting: number | undefined },
): string {
  const megabytes = (count: number): string => `${count.toLocaleString("en")} MB`;
  const learning = `${(numParameters(config) / 1e6).toFixed(1)} M trained parameters, with copies, moments and gradients,`;
  const frozen = numFrozen(config) > 0 ? `, and ${(numFrozen(config) / 1e6).toFixed(1)} M fixed parameters` : "";
  return (
    `${limitMb} MB are too little for this model. ${learning}${frozen} take ${megabytes(parametersMb)}, ` +
    `one row of ${contextTokens} tokens ${megabytes(rowMb)} of activations with every layer computed twice, ${megabytes(neededMb)} in total with ` +
    `the process itself and sampling. ` +
    (fitting === undefined ? "No context fits that limit." : `A policy.contextTokens of ${fitting} would fit.`)
  );
}

/** Throws, before any computation, if a pretrained model with one row of full context exceeds the limit. */
export function checkMemory(config: PolicyConfig, room: Room): void {
  const problem = config.architecture ? memoryOf(config, room).problem : null;
  if (problem !== null) throw new RangeError(`execution.memoryLimitMb: ${problem}`);
}

function powerOfTwo(x: number, most: number): number {
  return Math.max(1, Math.min(most, 2 ** Math.floor(Math.log2(x))));
}
