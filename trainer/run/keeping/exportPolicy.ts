import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constant, input } from "#trainer/graph/ops.ts";
import { encode } from "#trainer/onnx/encode.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import type { Vocabulary } from "#trainer/policy/exportedPolicy.ts";
import { parameterShapes, type Parameters } from "#trainer/policy/parameters.ts";
import type { Tokenizer } from "#trainer/policy/tokenizer.ts";
import { transformerLogits } from "#trainer/policy/transformer.ts";

/**
 * Writes `policy.onnx` with the parameters inside, and `vocabulary.json` beside it. Input: tokens (1, T) i64; output:
 * logits (1, T, V). T is the policy's whole context. Pad on the right with any token: attention is causal.
 */
export function exportPolicy(
  folder: string,
  { config, parameters, tokenizer }: { config: PolicyConfig; parameters: Parameters; tokenizer: Tokenizer },
): void {
  const shapes = Object.entries(parameterShapes(config));
  const weights = shapes.map(
    ([name, shape]) => [name, constant(parameters[name] ?? new Float32Array(), shape)] as const,
  );
  const tokens = input("tokens", [1, config.contextTokens], "i64");
  const logits = transformerLogits(Object.fromEntries(weights), tokens, config);
  const { words, padToken, bosToken, eosToken } = tokenizer;
  const vocabulary: Vocabulary = {
    v: 1,
    contextTokens: config.contextTokens,
    padToken,
    bosToken,
    eosToken,
    words: [...words],
  };
  writeWhole(join(folder, "policy.onnx"), encode({ logits }, { toOutput: (name) => name }));
  writeWhole(join(folder, "vocabulary.json"), `${JSON.stringify(vocabulary, null, 2)}\n`);
}

function writeWhole(path: string, content: Uint8Array | string): void {
  try {
    writeFileSync(`${path}.draft`, content);
    renameSync(`${path}.draft`, path);
  } catch (error) {
    // Removes a partial draft of several megabytes, left by a full disk.
    rmSync(`${path}.draft`, { force: true });
    throw error;
  }
}
