import { dimensionsOf, type LlamaConfig } from "#trainer/policy/config.ts";
import { numParameters } from "#trainer/policy/parameters.ts";
import { AppError } from "#packages/base";

/** Memory of Node, ONNX Runtime and the code. */
const baseBytes = 250e6;
/** Fraction of the memory beside the weights for KV caches of rows decoded together; the rest is for prefill. */
const cacheShare = 0.4;

/** Rejects a model that would exceed its process's memory limit, before the weights are loaded. */
export function refuseTooLarge(config: LlamaConfig, memoryBytes: number): void {
  const needed = baseBytes + weightBytes(config) + Math.max(readingBytes(config), cacheBytes(config) / cacheShare);
  if (needed <= memoryBytes) return;
  throw new AppError(
    "bad_input",
    `this model takes about ${megabytes(needed)} MB to play: ${megabytes(weightBytes(config))} for ${(numParameters(config) / 1e6).toFixed(1)} M weights, ` +
      `the rest to read ${config.contextTokens} tokens of context; what plays has ${megabytes(memoryBytes)} MB (ARLARENA_PLAY_MEMORY_MB where the studio is started)`,
  );
}

/** Number of rows whose KV caches fit beside the weights: a power of two, at most `most`. */
export function rowsAtOnce(config: LlamaConfig, memoryBytes: number, most: number): number {
  const left = cacheShare * (memoryBytes - baseBytes - weightBytes(config));
  return Math.max(1, Math.min(most, 2 ** Math.floor(Math.log2(left / cacheBytes(config)))));
}

function weightBytes(config: LlamaConfig): number {
  return 4 * numParameters(config);
}

/** KV cache of one row with full context; counted twice, since finished rows are compacted by a copy. */
function cacheBytes(config: LlamaConfig): number {
  const { numLayers, numKeyValueHeads, headWidth } = dimensionsOf(config);
  return 2 * 2 * numLayers * numKeyValueHeads * headWidth * config.contextTokens * 4;
}

/** Activations of one forward pass over a row with full context. */
function readingBytes(config: LlamaConfig): number {
  const { width, numHeads, feedForwardWidth, numLayers } = dimensionsOf(config);
  const { contextTokens, vocabularySize } = config;
  const perToken = 8 * width + 4 * feedForwardWidth + 3 * numHeads * contextTokens;
  return 4 * (contextTokens * perToken + vocabularySize * width) + cacheBytes(config) / 2 + numLayers;
}

function megabytes(bytes: number): string {
  return Math.ceil(bytes / 1e6).toLocaleString("en");
}
