import type { HalfFormat } from "#trainer/graph/half.ts";
import { numElements } from "#trainer/graph/shape.ts";
import { dimensionsOf, type LlamaConfig, type PolicyConfig } from "#trainer/policy/config.ts";
import { frozenBytes, frozenShapes, numFrozen, numParameters, storedType } from "#trainer/policy/parameters.ts";
import type { BatchShape } from "./batch.ts";

/** Positions of a row, and at how many of them a token of the response is predicted. */
type RowShape = Pick<BatchShape, "numTokens" | "numSelected">;
/** A process's memory limit, and response tokens that a row can have at most. */
type Room = { readonly limitMb: number; readonly answered: number };

/** How a process's memory limit is spent. Everything depends on the spec alone, so equal specs do equal work. */
export type MemoryPlan = {
  /** For all sessions of the learner together. */
  sessionBytes: number;
  /** What a gradient session holds on to. */
  gradientBytes: (shape: BatchShape) => number;
  /** What a forward session holds on to. */
  forwardBytes: (shape: BatchShape) => number;
  /** Whether a gradient pass over such rows computes its layers a second time instead of holding them. */
  recomputes: (row: RowShape) => boolean;
  /** Such rows in one micro-batch: a power of two. */
  rowLimit: (row: RowShape) => number;
  /** Rows decoded together: a power of two. */
  decodeRows: number;
  /** Of keys and values that are remembered between two turns of a conversation. */
  keptBytes: number;
};

/** Of what parameters leave; the rest is for sampling. */
const sessionShare = 0.7;
const maxRows = 64;
const maxDecodeRows = 128;

/** What the process holds before the first pass: Node, ONNX Runtime, the code. */
const baseBytes = 250e6;
/** Parameters, their copies in a snapshot, the reference, two moments and gradients, and the same for a critic. */
const copiesOfParameters = 16;

export function planMemory(config: PolicyConfig, limitMb: number): MemoryPlan {
  const { numLayers, numKeyValueHeads, headWidth } = dimensionsOf(config);
  const available = Math.max(60e6, limitMb * 1e6 - baseBytes - parameterBytes(config));
  const sessionBytes = sessionShare * available;
  // Two widths of gradient sessions and their forward passes live side by side without being made again and again; those
  // of a pretrained model hold nothing between two runs.
  const passBytes = config.architecture ? sessionBytes : sessionBytes / 3;
  const fitting = (rowBytes: number): number => powerOfTwo(passBytes / rowBytes, maxRows);
  // A third more work: only where rows would else go one by one, or not at all.
  const recomputes = (row: RowShape): boolean =>
    config.architecture !== undefined && fitting(activationBytes(config, row)) < 2;
  const gradientBytes = ({ numRows, ...row }: BatchShape): number =>
    config.architecture ? tableBytes(row.numTokens) : numRows * activationBytes(config, row);
  // Keys and values of every layer: of the rows that are written, and as many that are remembered.
  const cacheBytes = 2 * 2 * numLayers * numKeyValueHeads * headWidth * config.contextTokens * 4;
  return {
    sessionBytes,
    gradientBytes,
    forwardBytes: (shape) => gradientBytes(shape) / 4,
    recomputes,
    rowLimit: (row) => fitting(recomputes(row) ? recomputedBytes(config, row) : activationBytes(config, row)),
    decodeRows: powerOfTwo((0.3 * available) / cacheBytes, maxDecodeRows),
    // The last bits of a run depend on it: a built-in policy, whose transcripts are short, reads them again.
    keptBytes: config.architecture ? 0.15 * available : 0,
  };
}

/** What a session of a pretrained model keeps between two runs: its file, with the causal mask and the tables of positions. */
function tableBytes(numTokens: number): number {
  return 10e6 + 2 * 4 * numTokens ** 2;
}

/**
 * Bytes of activations that a gradient pass holds for one row. A session that keeps its memory has it twice, as its
 * first run took it and as planned for the next ones: a pass of 16 × 128 positions at 3 M parameters held 0.4 GB; this says 0.48.
 */
function activationBytes(config: PolicyConfig, row: RowShape): number {
  const { numLayers } = dimensionsOf(config);
  const times = config.architecture ? 0.5 : 1;
  const { numTokens } = row;
  return 4 * (numTokens * numLayers * times * layerNumbers(config, numTokens) + logitNumbers(config, row));
}

/** The same where layers are computed a second time: the residual stream before each of them, and one layer with its gradients. */
function recomputedBytes(config: PolicyConfig, row: RowShape): number {
  const { numLayers, width } = dimensionsOf(config);
  const { numTokens } = row;
  return 4 * (numTokens * (numLayers * width + layerNumbers(config, numTokens)) + logitNumbers(config, row));
}

/**
 * Logits and what follows from them: of a vocabulary of 49,152 six numbers for each logit of a response. Built-in policies,
 * whose vocabularies are small, count three at every position.
 */
function logitNumbers(config: PolicyConfig, { numTokens, numSelected }: RowShape): number {
  const count = config.architecture ? 6 * numSelected : 3 * numTokens;
  return count * config.vocabularySize;
}

/**
 * Of one layer and position, held twice: about 16 vectors of the policy's width, six of its feed-forward part's (ten where
 * that is gated), and three score matrices a head.
 */
function layerNumbers(config: PolicyConfig, numTokens: number): number {
  const { width, numHeads, feedForwardWidth } = dimensionsOf(config);
  return 16 * width + (config.architecture ? 10 : 6) * feedForwardWidth + 3 * numHeads * numTokens;
}

function parameterBytes(config: PolicyConfig): number {
  return 4 * copiesOfParameters * numParameters(config) + frozenBytes(config) + wideningBytes(config);
}

/** Of matrices that are held in 16 bits: two of the largest in single precision, of which a pass reads one after the other. */
function wideningBytes(config: PolicyConfig): number {
  const sizes = Object.entries(frozenShapes(config)).map(([name, shape]) =>
    storedType(config, name, shape) === "f32" || name === "embedding" ? 0 : numElements(shape),
  );
  return 2 * 4 * Math.max(0, ...sizes);
}

/**
 * How weights below adapters are held on the processor, where their files have 16 bits a value: so only where single
 * precision would leave too little room for two rows of the whole context, since every pass then widens them anew.
 */
export function chooseHalves(config: LlamaConfig, halves: HalfFormat | undefined, room: Room): LlamaConfig {
  const row = longestRow(config.contextTokens, room);
  if (!config.lora || !halves || !planMemory(config, room.limitMb).recomputes(row)) return config;
  return { ...config, halves };
}

/** What a pretrained model and one row of its whole context take, in megabytes. */
export type MemoryNeed = {
  /** Parameters that learn with copies, moments and gradients, and those that do not. */
  parametersMb: number;
  contextTokens: number;
  /** As what matrices below adapters are held; null: in single precision. */
  halves: HalfFormat | null;
  /** Activations of that row, and whether its layers are computed a second time for it to fit. */
  rowMb: number;
  recomputes: boolean;
  /** In all, with what the process has and what sampling gets. */
  neededMb: number;
  /** Why it does not fit the limit, and what would. */
  problem: string | null;
};

function longestRow(numTokens: number, { answered }: Room): RowShape {
  return { numTokens, numSelected: Math.min(numTokens, answered) };
}

export function memoryOf(config: PolicyConfig, room: Room): MemoryNeed {
  const { contextTokens } = config;
  const { limitMb } = room;
  const held = baseBytes + parameterBytes(config);
  const leastBytes = (numTokens: number): number =>
    held + recomputedBytes(config, longestRow(numTokens, room)) / sessionShare;
  const row = longestRow(contextTokens, room);
  const recomputes = planMemory(config, limitMb).recomputes(row);
  const rowBytes = recomputes ? recomputedBytes(config, row) : activationBytes(config, row);
  const shorter = Array.from({ length: Math.floor(contextTokens / 64) }, (_, i) => 64 * (i + 1));
  const fitting = shorter.findLast((numTokens) => leastBytes(numTokens) <= limitMb * 1e6);
  const need = {
    parametersMb: Math.ceil(parameterBytes(config) / 1e6),
    contextTokens,
    halves: (config.architecture && config.halves) ?? null,
    rowMb: Math.ceil(rowBytes / 1e6),
    recomputes,
    neededMb: Math.ceil((held + rowBytes / sessionShare) / 1e6),
  };
  const problem = leastBytes(contextTokens) > limitMb * 1e6 ? explain(need, config, { limitMb, fitting }) : null;
  return { ...need, problem };
}

function explain(
  { parametersMb, contextTokens, rowMb, neededMb }: Omit<MemoryNeed, "problem">,
  config: PolicyConfig,
  { limitMb, fitting }: { limitMb: number; fitting: number | undefined },
): string {
  const megabytes = (count: number): string => `${count.toLocaleString("en")} MB`;
  const learning = `${(numParameters(config) / 1e6).toFixed(1)} M parameters that learn, with copies, moments and gradients`;
  const frozen = numFrozen(config) > 0 ? `, and ${(numFrozen(config) / 1e6).toFixed(1)} M that do not` : "";
  return (
    `${limitMb} MB do not hold this model. ${learning}${frozen} take ${megabytes(parametersMb)}, ` +
    `one row of ${contextTokens} tokens ${megabytes(rowMb)} of activations with every layer computed twice, ${megabytes(neededMb)} in all with ` +
    `what the process has and what sampling gets. ` +
    (fitting === undefined ? "No context fits that limit." : `A policy.contextTokens of ${fitting} would fit.`)
  );
}

/** Throws, before anything is computed, where a pretrained model and one row of its whole context do not fit the limit. */
export function checkMemory(config: PolicyConfig, room: Room): void {
  const problem = config.architecture ? memoryOf(config, room).problem : null;
  if (problem !== null) throw new RangeError(`execution.memoryLimitMb: ${problem}`);
}

function powerOfTwo(x: number, most: number): number {
  return Math.max(1, Math.min(most, 2 ** Math.floor(Math.log2(x))));
}
