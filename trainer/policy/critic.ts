import { input, matmul, reshape } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import { dimensionsOf, type PolicyConfig } from "./config.ts";
import { parameterInputs, parameterShapes, type Parameters, type ParameterTensors } from "./parameters.ts";
import { parameter, type Network, type Selection } from "./network.ts";
import { piecesOf } from "./pieces.ts";
import { transformer } from "./transformer.ts";

/** The critic's output layer, shape (width, 1); its other layers are the policy's, with their own parameters. */
const head = "head";

export function criticShapes(config: PolicyConfig): Record<string, readonly number[]> {
  return { ...parameterShapes(config), [head]: [dimensionsOf(config).width, 1] };
}

/** Copies the policy's parameters, with a zero output layer, which predicts 0 for every state. */
export function criticFrom(policy: Parameters, config: PolicyConfig): Record<string, Float32Array> {
  const shared = Object.entries(policy).map(([name, values]) => [name, values.slice()] as const);
  return { ...Object.fromEntries(shared), [head]: new Float32Array(dimensionsOf(config).width) };
}

export function criticInputs(config: PolicyConfig): ParameterTensors {
  return { ...parameterInputs(config), [head]: input(head, [dimensionsOf(config).width, 1]) };
}

/**
 * Builds the critic's graph: predicts the value of the state before each selected token, in units of reward.
 * @param tokens shape (B, T), i64
 * @returns values of shape (B, R), and the residual stream before each layer
 */
export function stateValues(
  network: Network,
  tokens: Tensor,
  selection: Selection,
): { values: Tensor; residuals: readonly Tensor[] } {
  const { hidden, residuals } = transformer(network, tokens, selection);
  const products = matmul(piecesOf(network).finalNorm(hidden), parameter(network.parameters, head));
  return { values: reshape(products, selection.flat.shape), residuals };
}
