import { constant } from "#trainer/graph/ops.ts";
import { encode } from "#trainer/onnx/encode.ts";
import { AppError } from "#server/domain/errors.ts";
import { shippedConfig, versionOf } from "#server/domain/stability/config.ts";
import { makeDetector, toEffective } from "#server/domain/stability/detector.ts";
import { isCollapse } from "#server/domain/stability/label/label.ts";
import { labelPoints } from "#server/domain/stability/label/labelPoints.ts";
import {
  brierScore,
  brierSkill,
  fitPlatt,
  reliabilityBins,
  rocArea,
  sigmoid,
  type Forecast,
} from "#server/domain/stability/predictor/calibration.ts";
import { minimum, type PredictorCard, type Scores } from "#server/domain/stability/predictor/card.ts";
import { horizon, toExamples, type Example, type LabelledRun } from "#server/domain/stability/predictor/examples.ts";
import { featureNames } from "#server/domain/stability/predictor/features.ts";
import {
  developmentFamilies,
  generateRun,
  heldOutFamilies,
  syntheticSize,
  type Family,
} from "#server/domain/stability/synthetic/generate.ts";
import type { EffectiveEpisodes } from "#server/domain/stability/signals/trackers.ts";
import { fitNetwork, readLogits } from "./fit.ts";
import { parameterShapes, probabilityGraph } from "./network.ts";
import { predictorId } from "./store.ts";
import { formatCount } from "#server/domain/words.ts";

type Group = { name: string; examples: Example[]; runs: number; collapsed: number };
type Trained = { card: PredictorCard; model: Uint8Array };

type Options = {
  /** Made-up runs of each family. */
  numRuns: number;
  /** Finished runs that really happened, iterations counted from 0. */
  real?: readonly LabelledRun[];
  /** Episodes behind the success rates of the real runs. */
  effective?: EffectiveEpisodes;
};

/**
 * Trains the predictor of a collapse within the horizon on the development mechanisms and on real runs, calibrates it by
 * leaving out one group after the other, and tests it on mechanisms that it never saw, beside the rules.
 */
export async function trainPredictor({
  numRuns,
  real = [],
  effective = toEffective(syntheticSize),
}: Options): Promise<Trained> {
  const madeUp = (families: readonly Family[]) =>
    families.map((family) => toGroup(family, makeUp(family, numRuns), toEffective(syntheticSize)));
  const groups = [...madeUp(developmentFamilies), ...(real.length > 0 ? [toGroup("real", real, effective)] : [])];
  requireEnough(groups);

  const examples = groups.flatMap((group) => group.examples);
  const scores: { logit: number; happened: boolean }[] = [];
  for (const left of groups) {
    const others = groups.filter((group) => group !== left).flatMap((group) => group.examples);
    const logits = await readLogits(await fitNetwork(others, left.name), left.examples);
    scores.push(...logits.map((logit, i) => ({ logit, happened: left.examples[i]?.willCollapse ?? false })));
  }
  const platt = fitPlatt(scores);
  const network = await fitNetwork(examples, "all");

  const tested = madeUp(heldOutFamilies).flatMap((group) => group.examples);
  const logits = await readLogits(network, tested);
  const forecasts = tested.map(({ willCollapse }, i) => ({
    probability: sigmoid(platt.slope * (logits[i] ?? NaN) + platt.offset),
    happened: willCollapse,
  }));
  const rateOf = ratesBySeverity(examples);
  const ruled = tested.map(({ severity, willCollapse }) => ({
    probability: rateOf[severity],
    happened: willCollapse,
  }));

  const shapes = parameterShapes(featureNames.length);
  const weights = (name: string) => constant(network.parameters[name] ?? [], shapes[name] ?? []);
  const probability = probabilityGraph(weights, network.scaling, platt);
  const model = encode({ probability }, { toOutput: (name) => name });
  const count = (isMadeUp: boolean) => {
    const ofKind = groups.filter(({ name }) => (name !== "real") === isMadeUp);
    const add = (read: (group: Group) => number) => ofKind.reduce((sum, group) => sum + read(group), 0);
    return {
      runs: add(({ runs }) => runs),
      collapsed: add(({ collapsed }) => collapsed),
      examples: add((group) => group.examples.length),
    };
  };
  const card: PredictorCard = {
    v: 1,
    id: predictorId(model),
    horizon,
    detector: versionOf(shippedConfig),
    features: [...featureNames],
    trainedOn: { groups: groups.map(({ name }) => name), madeUp: count(true), real: count(false) },
    heldOut: {
      groups: [...heldOutFamilies],
      predictor: scoreForecasts(forecasts),
      rules: scoreForecasts(ruled),
      reliability: reliabilityBins(forecasts),
      reliabilityOfRules: reliabilityBins(ruled),
    },
    beatsRules: brierScore(forecasts) < brierScore(ruled),
  };
  return { card, model };
}

function toGroup(name: string, runs: readonly LabelledRun[], effective: EffectiveEpisodes): Group {
  const detector = makeDetector(effective);
  return {
    name,
    examples: runs.flatMap((run) => toExamples(run, detector)),
    runs: runs.length,
    collapsed: runs.filter(({ label }) => isCollapse(label)).length,
  };
}

function makeUp(family: Family, numRuns: number): LabelledRun[] {
  const effective = toEffective(syntheticSize);
  return Array.from({ length: numRuns }, (_, seed) => {
    const { points } = generateRun(family, `predictor ${seed}`);
    return { group: family, points, label: labelPoints(points, effective) };
  });
}

function requireEnough(groups: readonly Group[]): void {
  const collapsed = groups.reduce((sum, group) => sum + group.collapsed, 0);
  const healthy = groups.reduce((sum, group) => sum + group.runs - group.collapsed, 0);
  if (collapsed >= minimum.collapsed && healthy >= minimum.healthy) return;
  throw new AppError(
    "bad_input",
    `${collapsed} collapsed and ${formatCount(healthy, "other run")} are too few to learn from: at least ${minimum.collapsed} and ${minimum.healthy}`,
  );
}

/** How often a run in each status collapsed within the horizon: the rules as probabilities. Laplace's rule of succession. */
function ratesBySeverity(examples: readonly Example[]): Record<0 | 1 | 2 | 3, number> {
  const rate = (severity: 0 | 1 | 2 | 3) => {
    const ofSeverity = examples.filter((example) => example.severity === severity);
    return (ofSeverity.filter(({ willCollapse }) => willCollapse).length + 1) / (ofSeverity.length + 2);
  };
  return { 0: rate(0), 1: rate(1), 2: rate(2), 3: rate(3) };
}

function scoreForecasts(forecasts: readonly Forecast[]): Scores {
  return {
    examples: forecasts.length,
    baseRate: forecasts.filter(({ happened }) => happened).length / forecasts.length,
    brier: brierScore(forecasts),
    skill: brierSkill(forecasts),
    rocArea: rocArea(forecasts),
  };
}
