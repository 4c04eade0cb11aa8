import { constant, input } from "#trainer/graph/ops.ts";
import { makeAdamW } from "#trainer/objective/optimizer.ts";
import { warmupCosine } from "#trainer/objective/schedule.ts";
import { makeGradientSession } from "#trainer/policy/gradientSession.ts";
import { split } from "#trainer/spec/rng.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import type { Example } from "#server/domain/stability/predictor/examples.ts";
import { crossEntropy, logitsOf, parameterShapes, type Scaling } from "./network.ts";

const batch = 256;
const epochs = 12;
const optimizerSpec = {
  learningRate: 3e-3,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0.05,
  maxGradientNorm: 1,
};

export type FittedNetwork = { parameters: Record<string, Float32Array>; scaling: Scaling };

/** Fits the network to examples, at least one batch of them, by maximum likelihood. */
export async function fitNetwork(examples: readonly Example[], seed: string): Promise<FittedNetwork> {
  const numFeatures = examples[0]?.features.length ?? 0;
  const scaling = scalingOf(examples, numFeatures);
  const shapes = parameterShapes(numFeatures);
  const inputs = Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, input(name, shape)]));
  const weights = (name: string) => inputs[name] ?? input(name, []);
  const logits = logitsOf(input("features", [batch, numFeatures]), weights, scaling);
  const loss = crossEntropy(logits, input("targets", [batch, 1]), batch);
  const session = await makeGradientSession({ loss, wrt: inputs, outputs: {} });
  const rng = split(seed, "predictor");
  const parameters = Object.fromEntries(
    Object.entries(shapes).map(([name, [rows, columns]]) => [
      name,
      Float32Array.from({ length: rows * columns }, () => (name.startsWith("w") ? rng.normal() / Math.sqrt(rows) : 0)),
    ]),
  );
  const optimizer = makeAdamW(optimizerSpec, shapes);
  const perEpoch = Math.floor(examples.length / batch);
  for (let step = 0; step < epochs * perEpoch; step++) {
    const drawn = Array.from({ length: batch }, () => examples[rng.int(examples.length)]);
    const features = new Float32Array(batch * numFeatures);
    const targets = new Float32Array(batch);
    for (const [i, example] of drawn.entries()) {
      if (!example) continue;
      features.set(example.features, i * numFeatures);
      targets[i] = Number(example.willCollapse);
    }
    const { gradients } = await session.run({ ...parameters, features, targets });
    const peak = optimizerSpec.learningRate;
    optimizer.step(
      parameters,
      gradients,
      warmupCosine({ peak, numSteps: epochs * perEpoch, warmupFraction: 0.05 }, step),
    );
  }
  await session.close();
  return { parameters, scaling };
}

/** Logits of examples, before calibration. */
export async function readLogits(
  { parameters, scaling }: FittedNetwork,
  examples: readonly Example[],
): Promise<number[]> {
  const numFeatures = scaling.means.length;
  const shapes = parameterShapes(numFeatures);
  const weights = (name: string) => constant(parameters[name] ?? [], shapes[name] ?? []);
  const session = await makeSession({ logits: logitsOf(input("features", [batch, numFeatures]), weights, scaling) });
  const all: number[] = [];
  for (let from = 0; from < examples.length; from += batch) {
    const part = examples.slice(from, from + batch);
    const features = new Float32Array(batch * numFeatures);
    for (const [i, example] of part.entries()) features.set(example.features, i * numFeatures);
    const { logits } = await session.run({ features });
    all.push(...logits.subarray(0, part.length));
  }
  await session.close();
  return all;
}

/** A feature that never changes is left where it is. */
function scalingOf(examples: readonly Example[], numFeatures: number): Scaling {
  const means = new Float32Array(numFeatures);
  const deviations = new Float32Array(numFeatures);
  for (let f = 0; f < numFeatures; f++) {
    const values = examples.map(({ features }) => features[f] ?? 0);
    const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
    const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length;
    means[f] = mean;
    deviations[f] = variance > 1e-8 ? Math.sqrt(variance) : 1;
  }
  return { means, deviations };
}
