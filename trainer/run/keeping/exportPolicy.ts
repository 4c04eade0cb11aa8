import { writeWhole } from "#trainer/policy/writeWhole.ts";
import { join } from "node:path";
import { constant, input } from "#trainer/graph/ops.ts";
import { numElements } from "#trainer/graph/shape.ts";
import { encode } from "#trainer/onnx/encode.ts";
import { decodeInitializers } from "#trainer/onnx/proto.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import type { Vocabulary } from "#trainer/policy/exportedPolicy.ts";
import { parameterShapes, type Parameters } from "#trainer/policy/parameters.ts";
import type { Tokenizer } from "#trainer/policy/tokenizer.ts";
import { transformerLogits } from "#trainer/policy/transformer.ts";

/**
 * Exports a built-in policy: `policy.onnx`, which contains the parameters, and `vocabulary.json` beside it. Input:
 * tokens (1, T) i64; output: logits (1, T, V). T is the policy's whole context length. Shorter inputs are padded on
 * the right with any token, because attention is causal.
 */
export function exportPolicy(
  folder: string,
  { config, parameters, tokenizer }: { config: PolicyConfig; parameters: Parameters; tokenizer: Tokenizer },
): void {
  const { words, padToken, bosToken, eosToken } = tokenizer;
  const vocabulary: Vocabulary = {
    v: 1,
    contextTokens: config.contextTokens,
    padToken,
    bosToken,
    eosToken,
    words: [...words],
  };
  writeWhole(join(folder, "policy.onnx"), policyFile(config, parameters));
  writeWhole(join(folder, "vocabulary.json"), `${JSON.stringify(vocabulary, null, 2)}\n`);
}

/** Returns the content of `policy.onnx`; equal policies give equal bytes. */
export function policyFile(config: PolicyConfig, parameters: Parameters): Uint8Array {
  const shapes = Object.entries(parameterShapes(config));
  const weights = shapes.map(
    ([name, shape]) => [name, constant(parameters[name] ?? new Float32Array(), shape)] as const,
  );
  const tokens = input("tokens", [1, config.contextTokens], "i64");
  const logits = transformerLogits(Object.fromEntries(weights), tokens, config);
  return encode({ logits }, { toOutput: (name) => name });
}

/**
 * Reads the parameters from the content of `policy.onnx`. An export of marker parameters shows which stored array
 * belongs to which parameter. Throws unless exporting the result gives the same file, as with a file of another
 * version of the trainer.
 */
export function readPolicyFile(config: PolicyConfig, file: Uint8Array): Parameters {
  const shapes = Object.entries(parameterShapes(config));
  const marked = shapes.map(
    ([name, shape], i) => [name, new Float32Array(numElements(shape)).fill(marker(i))] as const,
  );
  const nameOf = new Map(
    decodeInitializers(policyFile(config, Object.fromEntries(marked))).map(({ name, values }) => [values[0], name]),
  );
  const stored = new Map(decodeInitializers(file).map(({ name, values }) => [name, values]));
  const parameters = Object.fromEntries(
    shapes.map(([name], i) => [name, stored.get(nameOf.get(marker(i)) ?? "") ?? new Float32Array()]),
  );
  if (Buffer.compare(policyFile(config, parameters), file) === 0) return parameters;
  throw new Error("policy.onnx is not as this version of the trainer writes it for the specification of its run");
}

/** Value that marks the i-th parameter in a trial export; no constant of the graph has it. */
const marker = (i: number): number => 4096.5 + i;
