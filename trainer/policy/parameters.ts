import { input } from "#trainer/graph/ops.ts";
import { widenBits, type HalfFormat } from "#trainer/graph/half.ts";
import { numElements } from "#trainer/graph/shape.ts";
import type { Shape, Tensor } from "#trainer/graph/tensor.ts";
import type { DeviceTensor } from "#trainer/onnx/deviceTensor.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { dimensionsOf, type BuiltInConfig, type LlamaConfig, type PolicyConfig } from "./config.ts";
import { llamaShapes, loraShapes } from "./llama/shapes.ts";

/** Values by parameter name, row-major. */
export type Parameters = Readonly<Record<string, Float32Array>>;
/** The same, wherever graphs compute: arrays of this process, or tensors of a device. */
export type Weights = Readonly<Record<string, Float32Array | DeviceTensor>>;
/** Values that no update changes: in single precision, or the bits of 16-bit numbers. */
export type FrozenParameters = Readonly<Record<string, Float32Array | Uint16Array>>;
/** The graph inputs of the same names. */
export type ParameterTensors = Readonly<Record<string, Tensor>>;
type Layout = { readonly shape: Shape; readonly mean?: number; readonly deviation: number };

/** Shape of every parameter that learns, by name. */
export function parameterShapes(config: PolicyConfig): Readonly<Record<string, Shape>> {
  if (config.architecture) return config.lora ? loraShapes(config, config.lora) : llamaShapes(config);
  return Object.fromEntries(Object.entries(builtInLayout(config)).map(([name, { shape }]) => [name, shape]));
}

/**
 * Shape and initial standard deviation of every parameter. Products keep the variance of what they are applied to
 * (1/√fan-in), and those that write into the residual stream share it among all 2·numLayers of them.
 */
function builtInLayout(config: BuiltInConfig): Readonly<Record<string, Layout>> {
  const { numLayers, width } = dimensionsOf(config);
  const residual = 1 / Math.sqrt(2 * numLayers);
  const layers = Array.from(
    { length: numLayers },
    (_, i) =>
      [
        [`layer${i}/qkv`, { shape: [width, 3 * width], deviation: 1 / Math.sqrt(width) }],
        [`layer${i}/out`, { shape: [width, width], deviation: residual / Math.sqrt(width) }],
        [`layer${i}/up`, { shape: [width, 4 * width], deviation: 1 / Math.sqrt(width) }],
        [`layer${i}/down`, { shape: [4 * width, width], deviation: residual / Math.sqrt(4 * width) }],
      ] as const,
  );
  const positions =
    config.positions === "learned"
      ? [["positions", { shape: [config.contextTokens, width], deviation: 1 / Math.sqrt(width) }] as const]
      : [];
  return Object.fromEntries<Layout>([
    ["embedding", { shape: [config.vocabularySize, width], deviation: 1 / Math.sqrt(width) }],
    ...positions,
    ...layers.flat(),
  ]);
}

/** A policy that has learned nothing. */
export function makeParameters(config: PolicyConfig, rng: Rng): Parameters {
  const starts = config.architecture ? llamaStarts(config) : builtInLayout(config);
  return Object.fromEntries(
    Object.entries(starts).map(([name, { shape, mean = 0, deviation }]) => [
      name,
      new Float32Array(numElements(shape)).map(() => (deviation === 0 ? mean : deviation * rng.normal())),
    ]),
  );
}

/** As such models are started before they are trained: gains 1, biases 0, matrices of one deviation. */
function llamaStarts(config: LlamaConfig): Readonly<Record<string, Layout>> {
  const start = (name: string): Omit<Layout, "shape"> => {
    if (name.endsWith("Norm")) return { mean: 1, deviation: 0 };
    return { deviation: name.endsWith("Bias") ? 0 : 0.02 };
  };
  const shapes = Object.entries(llamaShapes(config));
  return Object.fromEntries(shapes.map(([name, shape]) => [name, { shape, ...start(name) }]));
}

/** Shape of every parameter that stays as it is. */
export function frozenShapes(config: PolicyConfig): Readonly<Record<string, Shape>> {
  return config.architecture && config.lora ? llamaShapes(config) : {};
}

/** What a pass reads: of an adapted model its frozen weights too. */
export function parameterInputs(config: PolicyConfig): ParameterTensors {
  const learning = Object.entries(parameterShapes(config)).map(([name, shape]) => [name, input(name, shape)] as const);
  const frozen = Object.entries(frozenShapes(config)).map(
    ([name, shape]) => [name, input(name, shape, storedType(config, name, shape))] as const,
  );
  return Object.fromEntries([...frozen, ...learning]);
}

/**
 * As what a frozen parameter is held. Halves are for the matrices of layers, which are widened one at a time. The output layer's
 * table would take twice its single precision while logits are computed, which is when a pass holds most.
 */
export function storedType(config: PolicyConfig, name: string, shape: Shape): "f32" | HalfFormat {
  if (!config.architecture || !config.halves || shape.length !== 2) return "f32";
  return name === outputTable(config) ? "f32" : config.halves;
}

/** The matrix (V, width) that logits are products with. */
export function outputTable({ architecture }: LlamaConfig): string {
  return architecture.isTied ? "embedding" : "unembedding";
}

/** In single precision: themselves, or a copy. */
export function inSingle(values: Float32Array | Uint16Array, config: PolicyConfig): Float32Array {
  if (values instanceof Float32Array) return values;
  if (config.architecture && config.halves) return widenBits(values, config.halves);
  throw new TypeError("numbers of 16 bits without a format");
}

/** Those of a pass that learn. */
export function learningInputs(inputs: ParameterTensors, config: PolicyConfig): ParameterTensors {
  const frozen = frozenShapes(config);
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !(name in frozen)));
}

/** That learn. */
export function numParameters(config: PolicyConfig): number {
  return countOf(parameterShapes(config));
}

export function numFrozen(config: PolicyConfig): number {
  return countOf(frozenShapes(config));
}

/** Bytes that they take. */
export function frozenBytes(config: PolicyConfig): number {
  return Object.entries(frozenShapes(config)).reduce(
    (total, [name, shape]) => total + (storedType(config, name, shape) === "f32" ? 4 : 2) * numElements(shape),
    0,
  );
}

function countOf(shapes: Readonly<Record<string, Shape>>): number {
  return Object.values(shapes).reduce((total, shape) => total + numElements(shape), 0);
}
