import type { LlamaConfig } from "./config.ts";
import { readModelConfig } from "./llama/readModel.ts";
import { readTokenizer, type TextTokenizer } from "./text/readTokenizer.ts";

/** Configuration and tokenizer of a pretrained language model, without its weights. */
export type LanguageModel = { readonly config: LlamaConfig; readonly tokenizer: TextTokenizer };

/** Reads configuration and tokenizer from a model's folder, for sequences of at most `contextTokens` tokens. */
export function readLanguageModel(folder: string, contextTokens?: number): LanguageModel {
  const config = readModelConfig(folder, contextTokens);
  const tokenizer = readTokenizer(folder);
  if (tokenizer.numTokens > config.vocabularySize) {
    throw new RangeError(
      `${folder}: tokenizer.json has ${tokenizer.numTokens} tokens, config.json says vocab_size ${config.vocabularySize}`,
    );
  }
  return { config, tokenizer };
}
