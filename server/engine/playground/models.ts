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

/** A loaded language model, and the memory limit of its process. */
export type OpenModel = LanguageModel & { parameters: Parameters; memoryBytes: number };

const Key = z.object({ folder: z.string(), contextTokens: z.number().optional(), memoryBytes: z.number() });

/** Only one model stays loaded for the next move, because it may use most of the process's memory. */
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

/** Gives access to a model loaded from its folder; if its files have changed, it is loaded again. */
export async function useModel<Result>(
  { folder, contextTokens }: ModelFolder,
  memoryBytes: number,
  use: (model: OpenModel) => Promise<Result>,
): Promise<Result> {
  const written = await timesOf(folder).catch((cause: unknown) => {
    // The files existed when the run's latest files were looked up.
    throw new AppError(
      "conflict",
      `there are no whole weights in ${folder} any more: they were removed or cannot be read`,
      { cause },
    );
  });
  return models.use(JSON.stringify({ folder, contextTokens, memoryBytes, written }), use);
}

/** Modification time of each weight file. */
async function timesOf(folder: string): Promise<number[]> {
  const stats = await Promise.all(listWeightFiles(folder).map((name) => stat(join(folder, name))));
  return stats.map(({ mtimeMs }) => mtimeMs);
}

/** Memory of Node.js, ONNX Runtime and the code, in bytes. */
const baseBytes = 250e6;
/**
 * Fraction of the memory beside the weights that KV caches of jointly decoded rows may use; the rest is for prefill.
 */
const cacheShare = 0.4;

/** Rejects a model that would exceed its process's memory limit, before the weights are loaded. */
function refuseTooLarge(config: LlamaConfig, memoryBytes: number): void {
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
