import { join } from "node:path";
import type { LlamaConfig } from "../config.ts";
import { readSmallJson } from "../smallJson.ts";
import { parseModelConfig } from "./readConfig.ts";

/** Few episodes are longer, and many models support thirty times as much, for which the cache would need room. */
const usualContextTokens = 4096;

/** The configuration of a model's folder, for rows of at most `contextTokens` tokens. */
export function readModelConfig(folder: string, contextTokens?: number): LlamaConfig {
  const path = join(folder, "config.json");
  const { architecture, vocabularySize } = parseModelConfig(readSmallJson(path), path);
  const { maxTokens } = architecture;
  if (contextTokens !== undefined && contextTokens > maxTokens) {
    throw new RangeError(
      `policy.contextTokens: ${contextTokens} tokens are more than the model was made for: ${path} says ${maxTokens}`,
    );
  }
  return { architecture, vocabularySize, contextTokens: contextTokens ?? Math.min(usualContextTokens, maxTokens) };
}
