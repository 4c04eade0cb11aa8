import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { dimensionsOf, type LlamaConfig } from "#trainer/policy/config.ts";
import { type LanguageModel, readLanguageModel } from "#trainer/policy/languageModel.ts";
import { listWeightFiles } from "#trainer/policy/llama/safetensors.ts";
import { readWeights } from "#trainer/policy/llama/weights.ts";
import { numParameters, type Parameters } from "#trainer/policy/parameters.ts";
import { AppError } from "#packages/base";
import { makeRecent } from "./recent.ts";
import type { ModelFolder } from "./requests.ts";

/** A loaded language model with its parameters, and the memory limit in bytes of the process that runs it. */
export type OpenModel = LanguageModel & { parameters: Parameters; memoryBytes: number };

const Key = z.object({ folder: z.string(), contextTokens: z.number().optional(), memoryBytes: z.number() });

/** Keeps one language model loaded for the next turn; a model may use nearly all of the process's memory. */
const models = makeRecent<OpenModel>(1, {
  make: async (key) => {
    const { folder, contextTokens, memoryBytes } = Key.parse(JSON.parse(key));
    try {
      const model = readLanguageModel(folder, contextTokens);
      refuseTooLarge(model.config, memoryBytes);
      return { ...model, parameters: readWeights(folder, model.config), memoryBytes };
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new AppError("conflict", `${folder} is not a playable model: ${why}`, { cause });
    }
  },
});

/** Calls `use` with a folder's language model, loaded unless it is in memory and its files are unchanged. */
export async function useModel<Result>(
  { folder, contextTokens }: ModelFolder,
  memoryBytes: number,
  use: (model: OpenModel) => Promise<Result>,
): Promise<Result> {
  const written = await timesOf(folder).catch((cause: unknown) => {
    // The weight files existed when the run's latest model was looked up, so they were removed since.
    throw new AppError(
      "conflict",
      `there are no whole weights in ${folder} any more: they were removed or cannot be read`,
      { cause },
    );
  });
  return models.use(JSON.stringify({ folder, contextTokens, memoryBytes, written }), use);
}

async function timesOf(folder: string): Promise<number[]> {
  const stats = await Promise.all(listWeightFiles(folder).map((name) => stat(join(folder, name))));
  return stats.map(({ mtimeMs }) => mtimeMs);
}

/** Memory in bytes that Node.js, ONNX Runtime and the code need without a model. */
const baseBytes = 250e6;
/** Fraction of the memory not used by weights that KV caches may use; prefill needs the rest. */
const cacheShare = 0.4;

/** Throws if a model would exceed the memory limit of its process. It is called before the weights are loaded. */
function refuseTooLarge(config: LlamaConfig, memoryBytes: number): void {
  const needed = baseBytes + weightBytes(config) + Math.max(readingBytes(config), cacheBytes(config) / cacheShare);
  if (needed <= memoryBytes) return;
  throw new AppError(
    "bad_input",
    `this model takes about ${megabytes(needed)} MB to play: ${megabytes(weightBytes(config))} for ${(numParameters(config) / 1e6).toFixed(1)} M weights, ` +
      `the rest to read ${config.contextTokens} tokens of context; what plays has ${megabytes(memoryBytes)} MB (ARLARENA_PLAY_MEMORY_MB where the studio is started)`,
  );
}

/** Returns how many sequences' KV caches fit beside the weights: a power of two, at most `most`. */
export function rowsAtOnce(config: LlamaConfig, memoryBytes: number, most: number): number {
  const left = cacheShare * (memoryBytes - baseBytes - weightBytes(config));
  return Math.max(1, Math.min(most, 2 ** Math.floor(Math.log2(left / cacheBytes(config)))));
}

function weightBytes(config: LlamaConfig): number {
  return 4 * numParameters(config);
}

/** Returns a full context's KV cache in bytes, counted twice: removing finished sequences copies the cache. */
function cacheBytes(config: LlamaConfig): number {
  const { numLayers, numKeyValueHeads, headWidth } = dimensionsOf(config);
  return 2 * 2 * numLayers * numKeyValueHeads * headWidth * config.contextTokens * 4;
}

/** Returns the bytes of the activations in one forward pass over a full context. */
function readingBytes(config: LlamaConfig): number {
  const { width, numHeads, feedForwardWidth, numLayers } = dimensionsOf(config);
  const { contextTokens, vocabularySize } = config;
  const perToken = 8 * width + 4 * feedForwardWidth + 3 * numHeads * contextTokens;
  return 4 * (contextTokens * perToken + vocabularySize * width) + cacheBytes(config) / 2 + numLayers;
}

function megabytes(bytes: number): string {
  return Math.ceil(bytes / 1e6).toLocaleString("en");
}
