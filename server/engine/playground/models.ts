import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readLanguageModel, type LanguageModel } from "#trainer/policy/languageModel.ts";
import { listWeightFiles } from "#trainer/policy/llama/safetensors.ts";
import { readWeights } from "#trainer/policy/llama/weights.ts";
import type { Parameters } from "#trainer/policy/parameters.ts";
import { AppError } from "#packages/base";
import { refuseTooLarge } from "./modelMemory.ts";
import { makeRecent } from "./recent.ts";
import type { ModelFolder } from "./requests.ts";

/** A loaded language model with its process's memory limit. */
export type OpenModel = LanguageModel & { parameters: Parameters; memoryBytes: number };

const Key = z.object({ folder: z.string(), contextTokens: z.number().optional(), memoryBytes: z.number() });

/** A single model stays loaded for the next move: it may use most of the process's memory. */
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
      throw new AppError("conflict", `${folder} is no model that can be played: ${why}`, { cause });
    }
  },
});

/** Lends a model from its folder; a rewritten one is loaded again. */
export async function useModel<Result>(
  { folder, contextTokens }: ModelFolder,
  memoryBytes: number,
  use: (model: OpenModel) => Promise<Result>,
): Promise<Result> {
  const written = await timesOf(folder).catch((cause: unknown) => {
    // The files existed when the run's latest ones were looked up.
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
