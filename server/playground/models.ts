import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readLanguageModel, type LanguageModel } from "#trainer/policy/languageModel.ts";
import { listWeightFiles } from "#trainer/policy/llama/safetensors.ts";
import { readWeights } from "#trainer/policy/llama/weights.ts";
import type { Parameters } from "#trainer/policy/parameters.ts";
import { AppError } from "#server/domain/errors.ts";
import { refuseTooLarge } from "./modelMemory.ts";
import { makeRecent } from "./recent.ts";
import type { ModelFolder } from "./requests.ts";

/** A language model that can answer, and what its process may hold. */
export type OpenModel = LanguageModel & { parameters: Parameters; memoryBytes: number };

const Key = z.object({ folder: z.string(), contextTokens: z.number().optional(), memoryBytes: z.number() });

/** One stays open for the next move: it may be most of what the process holds. */
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

/** Lends a model from its folder; one that was written anew is another. */
export async function useModel<Result>(
  { folder, contextTokens }: ModelFolder,
  memoryBytes: number,
  use: (model: OpenModel) => Promise<Result>,
): Promise<Result> {
  const written = await timesOf(folder).catch((cause: unknown) => {
    // They were there when the run's newest ones were looked up.
    throw new AppError(
      "conflict",
      `there are no whole weights in ${folder} any more: they were removed or cannot be read`,
      { cause },
    );
  });
  return models.use(JSON.stringify({ folder, contextTokens, memoryBytes, written }), use);
}

/** When each file of its weights was written. */
async function timesOf(folder: string): Promise<number[]> {
  const stats = await Promise.all(listWeightFiles(folder).map((name) => stat(join(folder, name))));
  return stats.map(({ mtimeMs }) => mtimeMs);
}
