import type { Shape } from "#trainer/graph/tensor.ts";
import type { LlamaConfig } from "../config.ts";

/** Shape of every parameter by name; matrices are applied from the right, (inputs, outputs). */
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
