import type { Shape } from "#trainer/graph/tensor.ts";
import type { LlamaConfig, LoraConfig } from "../config.ts";

/** Shapes by name. Matrices are (inputs, outputs), and inputs are multiplied from the left. */
export function llamaShapes({ architecture, vocabularySize }: LlamaConfig): Readonly<Record<string, Shape>> {
  const { numLayers, width, isTied } = architecture;
  const layers = Array.from({ length: numLayers }, (_, i) =>
    Object.entries(layerShapes(architecture)).map(([name, shape]) => [`layer${i}/${name}`, shape] as const),
  );
  return Object.fromEntries<Shape>([
    ["embedding", [vocabularySize, width]],
    ...layers.flat(),
    ["finalNorm", [width]],
    ...(isTied ? [] : [["unembedding", [vocabularySize, width]] as const]),
  ]);
}

/** LoRA's factors A (inputs, rank), B (rank, outputs) per adapted matrix W (arXiv:2106.09685): W + α/rank·A·B. */
export function loraShapes(config: LlamaConfig, lora: LoraConfig): Readonly<Record<string, Shape>> {
  const factors = adaptedMatrices(config, lora).flatMap(([name, [inputs = 0, outputs = 0]]) => [
    [`${name}LoraA`, [inputs, lora.rank]] as const,
    [`${name}LoraB`, [lora.rank, outputs]] as const,
  ]);
  return Object.fromEntries<Shape>(factors);
}

/** Names and shapes (inputs, outputs) of the matrices that get LoRA adapters. */
export function adaptedMatrices(config: LlamaConfig, { targets }: LoraConfig): (readonly [string, Shape])[] {
  const isAdapted = (name: string): boolean => targets.some((target) => name.endsWith(`/${target}`));
  return Object.entries(llamaShapes(config)).filter(([name]) => isAdapted(name));
}

function layerShapes(architecture: LlamaConfig["architecture"]): Record<string, Shape> {
  const { width, numHeads, numKeyValueHeads, headWidth, feedForwardWidth, biases, hasHeadNorms } = architecture;
  const [queries, shared] = [numHeads * headWidth, numKeyValueHeads * headWidth];
  return {
    attentionNorm: [width],
    query: [width, queries],
    key: [width, shared],
    value: [width, shared],
    ...(biases.queryKeyValue && { queryBias: [queries], keyBias: [shared], valueBias: [shared] }),
    ...(hasHeadNorms && { queryNorm: [headWidth], keyNorm: [headWidth] }),
    out: [queries, width],
    ...(biases.output && { outBias: [width] }),
    feedForwardNorm: [width],
    gate: [width, feedForwardWidth],
    up: [width, feedForwardWidth],
    down: [feedForwardWidth, width],
    ...(biases.feedForward && { gateBias: [feedForwardWidth], upBias: [feedForwardWidth], downBias: [width] }),
  };
}
