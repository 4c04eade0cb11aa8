import { join } from "node:path";
import { predictRun, type Prediction } from "#server/predictor/predict.ts";
import { openPredictor } from "#server/predictor/store.ts";
import type { Database } from "#server/db/client.ts";
import { countLabels } from "#server/db/detections.ts";
import { detectorVersion } from "#server/domain/stability/config.ts";
import { readRunPoints } from "#server/db/runPoints.ts";
import { readRun } from "#server/db/runs.ts";
import { readConfig } from "#server/config/config.ts";
import { AppError } from "#server/domain/errors.ts";
import { shippedConfig } from "#server/domain/stability/config.ts";
import { makeDetector, toEffective } from "#server/domain/stability/detector.ts";
import { minimum, type PredictorCard } from "#server/domain/stability/predictor/card.ts";
import { samplingOf } from "#server/domain/stability/logs/samplingOf.ts";
import { formatCount } from "#server/domain/words.ts";

/** The learned predictor of this studio, or why there is none to ask. */
export type PredictorAnswer = {
  folder: string;
  /** Finished runs of this database with a clear label, and what a training asks for. */
  labelled: { collapsed: number; healthy: number };
  minimum: typeof minimum;
} & (
  | { state: "ready"; card: PredictorCard; isOfTheseRules: boolean }
  /** None was trained, or its files do not fit together. */
  | { state: "none" | "refused"; why: string }
);

/** Where `npx arlarena predictor train` puts what these pages show. */
function predictorFolder(): string {
  return join(readConfig().home, "predictor");
}

export async function readPredictor({ pool }: Database): Promise<PredictorAnswer> {
  const folder = predictorFolder();
  const common = { folder, labelled: await countLabels(pool), minimum };
  try {
    const predictor = await openPredictor(folder);
    if (!predictor) return { ...common, state: "none", why: "No predictor was trained for this studio yet." };
    const { card, model } = predictor;
    await model.close();
    return { ...common, state: "ready", card, isOfTheseRules: card.detector === detectorVersion };
  } catch (error) {
    return { ...common, state: "refused", why: error instanceof Error ? error.message : String(error) };
  }
}

export type RunPrediction = { predictor: string; horizon: number; predictions: Prediction[] };

/** The probability of a collapse within the horizon at every step of a run, as the predictor would have told it live. */
export async function predictStoredRun(database: Database, runId: string): Promise<RunPrediction> {
  const { spec } = await readRun(database, runId);
  const points = await readRunPoints(database.pool, runId);
  if (points.length <= shippedConfig.warmup) {
    throw new AppError(
      "conflict",
      `nothing is predicted of ${formatCount(points.length, "iteration")}: the rules warm up over ${shippedConfig.warmup}`,
    );
  }
  const predictor = await openPredictor(predictorFolder());
  if (!predictor) throw new AppError("not_found", "no predictor was trained for this studio yet");
  const { card, model } = predictor;
  try {
    const detector = makeDetector(toEffective(samplingOf(spec)), shippedConfig);
    return { predictor: card.id, horizon: card.horizon, predictions: await predictRun(model, detector, points) };
  } finally {
    await model.close();
  }
}
