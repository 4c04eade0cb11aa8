import { input } from "#trainer/graph/ops.ts";
import { numElements } from "#trainer/graph/shape.ts";
import type { Shape, Tensor } from "#trainer/graph/tensor.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { dimensionsOf, type PolicyConfig } from "./config.ts";

/** Values by parameter name, row-major. */
export type Parameters = Readonly<Record<string, Float32Array>>;
/** The graph inputs of the same names. */
export type ParameterTensors = Readonly<Record<string, Tensor>>;
type Layout = { readonly shape: Shape; readonly deviation: number };

/**
 * Shape and initial standard deviation of every parameter. Products keep the variance of what they are applied to
 * (1/√fan-in), and those that write into the residual stream share it among all 2·numLayers of them.
 */
export function parameterLayout(config: PolicyConfig): Readonly<Record<string, Layout>> {
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

export function makeParameters(config: PolicyConfig, rng: Rng): Parameters {
  return mapLayout(config, ({ shape, deviation }) =>
    new Float32Array(numElements(shape)).map(() => deviation * rng.normal()),
  );
}

export function parameterInputs(config: PolicyConfig): ParameterTensors {
  return mapLayout(config, ({ shape }, name) => input(name, shape));
}

export function numParameters(config: PolicyConfig): number {
  return Object.values(parameterLayout(config)).reduce((total, { shape }) => total + numElements(shape), 0);
}

function mapLayout<X>(config: PolicyConfig, apply: (layout: Layout, name: string) => X): Record<string, X> {
  const entries = Object.entries(parameterLayout(config));
  return Object.fromEntries(entries.map(([name, layout]) => [name, apply(layout, name)]));
}
