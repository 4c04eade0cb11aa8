import type { FeatureModel } from "#trainer/onnx/modelFile.ts";
import type { Detector } from "#server/domain/stability/detector.ts";
import type { Point } from "#server/domain/stability/signals/point.ts";
import { readFeatures } from "#server/domain/stability/predictor/features.ts";
import type { Status } from "#server/domain/stability/verdict/status.ts";

export type Prediction = { iteration: number; status: Status; probability: number };

/**
 * What model and rules say at every step of a run after the warm-up, side by side. The probability is of a collapse
 * within the model's horizon of steps.
 */
export async function predictRun(
  model: FeatureModel,
  detector: Detector,
  points: readonly Point[],
): Promise<Prediction[]> {
  const predictions: Prediction[] = [];
  let state = detector.start();
  for (const point of points) {
    const { state: next, reading } = detector.next(state, point);
    state = next;
    if (!reading || reading.status === "warmup") continue;
    const probability = await model.run(readFeatures(state));
    predictions.push({ iteration: point.iteration, status: reading.status, probability });
  }
  return predictions;
}
