import type { HalfFormat } from "#trainer/graph/half.ts";
import { numElements } from "#trainer/graph/shape.ts";
import { dimensionsOf, type LlamaConfig, type PolicyConfig } from "#trainer/policy/config.ts";
import { frozenBytes, frozenShapes, numFrozen, numParameters, storedType } from "#trainer/policy/parameters.ts";
import type { BatchShape } from "./batch.ts";

/** How a process's memory limit is spent. Everything depends on the spec alone, so equal specs do equal work. */
export type MemoryPlan = {
  /** For all sessions of the learner together. */
  sessionBytes: number;
  /** What a gradient session holds on to. */
  gradientBytes: (shape: BatchShape) => number;
  /** What a forward session holds on to. */
  forwardBytes: (shape: BatchShape) => number;
  /** Whether a gradient pass over rows of a width computes its layers a second time instead of holding them. */
  recomputes: (numTokens: number) => boolean;
  /** Rows of a width in one micro-batch: a power of two. */
  rowLimit: (numTokens: number) => number;
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
  const heldBytes = (numTokens: number): number => numTokens * activationBytes(config, numTokens);
  // A third more work: only where rows would else go one by one, or not at all.
  const recomputes = (numTokens: number): boolean =>
    config.architecture !== undefined && fitting(heldBytes(numTokens)) < 2;
  const gradientBytes = ({ numRows, numTokens }: BatchShape): number =>
    config.architecture ? tableBytes(numTokens) : numRows * heldBytes(numTokens);
  // Keys and values of every layer: of the rows that are written, and as many that are remembered.
  const cacheBytes = 2 * 2 * numLayers * numKeyValueHeads * headWidth * config.contextTokens * 4;
  return {
    sessionBytes,
    gradientBytes,
    forwardBytes: (shape) => gradientBytes(shape) / 4,
    recomputes,
    rowLimit: (numTokens) =>
      fitting(recomputes(numTokens) ? numTokens * recomputedBytes(config, numTokens) : heldBytes(numTokens)),
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
 * Bytes of activations that a gradient pass holds for one position. A session that keeps its memory has it twice, as its
 * first run took it and as planned for the next ones: a pass of 16 × 128 positions at 3 M parameters held 0.4 GB; this says 0.48.
 */
function activationBytes(config: PolicyConfig, numTokens: number): number {
  const { numLayers } = dimensionsOf(config);
  const times = config.architecture ? 0.5 : 1;
  return 4 * (numLayers * times * layerNumbers(config, numTokens) + 3 * config.vocabularySize);
}

/** The same where layers are computed a second time: the residual stream before each of them, and one layer with its gradients. */
function recomputedBytes(config: PolicyConfig, numTokens: number): number {
  const { numLayers, width } = dimensionsOf(config);
  return 4 * (numLayers * width + layerNumbers(config, numTokens) + 3 * config.vocabularySize);
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
export function chooseHalves(config: LlamaConfig, halves: HalfFormat | undefined, limitMb: number): LlamaConfig {
  if (!config.lora || !halves || !planMemory(config, limitMb).recomputes(config.contextTokens)) return config;
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

export function memoryOf(config: PolicyConfig, limitMb: number): MemoryNeed {
  const { contextTokens } = config;
  const held = baseBytes + parameterBytes(config);
  const leastBytes = (numTokens: number): number =>
    held + (numTokens * recomputedBytes(config, numTokens)) / sessionShare;
  const recomputes = planMemory(config, limitMb).recomputes(contextTokens);
  const perToken = recomputes ? recomputedBytes(config, contextTokens) : activationBytes(config, contextTokens);
  const shorter = Array.from({ length: Math.floor(contextTokens / 64) }, (_, i) => 64 * (i + 1));
  const fitting = shorter.findLast((numTokens) => leastBytes(numTokens) <= limitMb * 1e6);
  const need = {
    parametersMb: Math.ceil(parameterBytes(config) / 1e6),
    contextTokens,
    halves: (config.architecture && config.halves) ?? null,
    rowMb: Math.ceil((contextTokens * perToken) / 1e6),
    recomputes,
    neededMb: Math.ceil((held + (contextTokens * perToken) / sessionShare) / 1e6),
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
export function checkMemory(config: PolicyConfig, limitMb: number): void {
  const problem = config.architecture ? memoryOf(config, limitMb).problem : null;
  if (problem !== null) throw new RangeError(`execution.memoryLimitMb: ${problem}`);
}

function powerOfTwo(x: number, most: number): number {
  return Math.max(1, Math.min(most, 2 ** Math.floor(Math.log2(x))));
}
