import { heldOutSuccess, trainingSuccess, type MetricKey } from "#trainer/spec/metric.ts";
import { guardMetrics } from "./guards.ts";
import { channelNames, channels, type ChannelName } from "./channels.ts";

/** Intended changes in training, after which the forecasts of some channels start again. */
export const annotations = ["referenceReset", "learningRateChange", "curriculum", "data"] as const;
export type Annotation = (typeof annotations)[number];

/** Channels whose forecasts start again after each kind of intended change. */
export const rewarmedBy: Record<Annotation, readonly ChannelName[]> = {
  referenceReset: ["klReference", "entropy"],
  learningRateChange: ["gradientNorm", "klOld", "ratioMax", "ratioMean"],
  curriculum: ["responseTokens", "invalidActions", "returnSpread", "entropy"],
  // After a change of the data, all rules start again, including those on success: see `takeStep` and `labelPoints`.
  data: channelNames,
};

/** Logged values of one iteration by metric key; NaN and ±Infinity are valid. Unknown keys are ignored. */
export type Point = {
  iteration: number;
  values: Readonly<Record<string, number>>;
  annotations?: readonly Annotation[];
};

export type SuccessKey = (typeof trainingSuccess)[number] | (typeof heldOutSuccess)[number];

export function isRate(key: SuccessKey): boolean {
  return key !== "rollout/returnMean" && key !== "evaluation/returnMean";
}

/** Returns the first key in `keys` for which there is a value, with its value; undefined if there is none. */
export function firstOf<Key extends string>(
  values: Readonly<Record<string, number>>,
  keys: readonly Key[],
): { key: Key; value: number } | undefined {
  for (const key of keys) {
    const value = values[key];
    if (value !== undefined) return { key, value };
  }
  return undefined;
}

/** Returns the value of the first key in `keys` for which there is a value; undefined if there is none. */
export function valueOf(values: Readonly<Record<string, number>>, keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const value = values[key];
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Metric keys of the loss, in order of preference: the first logged one is used. */
export const lossKeys = ["loss/total", "loss/policy"] as const satisfies readonly MetricKey[];

const otherKeys: readonly MetricKey[] = [...lossKeys, "group/zeroVarianceFraction"];
const stepKeys: readonly string[] = [
  ...channelNames.flatMap((name) => channels[name].metrics),
  ...trainingSuccess,
  ...heldOutSuccess,
  ...otherKeys,
];
const ofSteps = new Set(stepKeys);

/** Keys of all metrics that the detector's rules read. */
export const relevantKeys: readonly string[] = [...new Set([...stepKeys, ...guardMetrics])];
const relevant = new Set(relevantKeys);

/** True if the detector's rules read the metric of this key. */
export function isRead(key: string): boolean {
  return relevant.has(key);
}

/** True if a point has an evaluation but no training metric. As a run's first point, it measures the initial policy. */
export function isBeforeTraining({ values }: Point): boolean {
  return Number.isFinite(firstOf(values, heldOutSuccess)?.value) && firstOf(values, ofTraining) === undefined;
}

const ofTraining = [...trainingSuccess, "update/gradientNorm", ...lossKeys];

/**
 * True if a point counts as a step of the detector. Epochs of behaviour cloning, timings and metrics that only guards
 * read are no steps.
 */
export function isRelevant({ values }: Point): boolean {
  for (const key in values) if (ofSteps.has(key)) return true;
  return false;
}

/** True if an external change takes effect at a point, so that earlier values are no baseline for later ones. */
export function isChangedAt({ annotations }: Pick<Point, "annotations">): boolean {
  return annotations?.includes("data") ?? false;
}

/** Marks external changes in the points, each at the first relevant point at or after its iteration. */
export function withChanges(points: readonly Point[], changedAt: readonly number[]): readonly Point[] {
  if (changedAt.length === 0) return points;
  const changed = new Set(
    changedAt.map((first) => points.findIndex((point) => point.iteration >= first && isRelevant(point))),
  );
  return points.map((point, i) =>
    changed.has(i) ? { ...point, annotations: [...(point.annotations ?? []), "data" as const] } : point,
  );
}
