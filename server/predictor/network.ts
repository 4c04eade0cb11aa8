import { add, constant, input, log, matmul, mul, neg, scalar, sigmoid, sub, sum, tanh } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { PlattScale } from "#server/domain/stability/predictor/calibration.ts";

/** Mean and deviation of every feature on the training examples. */
export type Scaling = { means: Float32Array; deviations: Float32Array };

export const numHidden = 16;

/** Parameters of one hidden layer, by name; F features. */
export function parameterShapes(numFeatures: number): Record<string, [number, number]> {
  return { w1: [numFeatures, numHidden], b1: [1, numHidden], w2: [numHidden, 1], b2: [1, 1] };
}

type Weights = (name: string) => Tensor;

/** features (B, F) → logits (B, 1): standardised, 16 tanh units, one output. */
export function logitsOf(features: Tensor, weights: Weights, { means, deviations }: Scaling): Tensor {
  const inverse = Float32Array.from(deviations, (deviation) => 1 / deviation);
  const row: [number, number] = [1, means.length];
  const standard = mul(sub(features, constant(means, row)), constant(inverse, row));
  const hidden = tanh(add(matmul(standard, weights("w1")), weights("b1")));
  return add(matmul(hidden, weights("w2")), weights("b2"));
}

/** Mean cross-entropy of logits (B, 1) against targets (B, 1) of 0 and 1. */
export function crossEntropy(logits: Tensor, targets: Tensor, batch: number): Tensor {
  // Sigmoids rounded to 0 or 1 would have infinite logarithms.
  const keep = (x: Tensor) => add(mul(x, scalar(1 - 2e-6)), scalar(1e-6));
  const yes = log(keep(sigmoid(logits)));
  const no = log(keep(sigmoid(neg(logits))));
  const likelihood = add(mul(targets, yes), mul(sub(scalar(1), targets), no));
  return mul(neg(sum(likelihood)), scalar(1 / batch));
}

/** The finished model: `features` (1, F) → `probability` (1, 1), calibrated. */
export function probabilityGraph(weights: Weights, scaling: Scaling, { slope, offset }: PlattScale): Tensor {
  const features = input("features", [1, scaling.means.length]);
  return sigmoid(add(mul(logitsOf(features, weights, scaling), scalar(slope)), scalar(offset)));
}
