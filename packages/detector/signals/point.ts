import { heldOutSuccess, trainingSuccess, type MetricKey } from "#trainer/spec/metric.ts";
import { guardMetrics } from "./guards.ts";
import { channelNames, channels, type ChannelName } from "./channels.ts";

/** Intended changes in training. */
export const annotations = ["referenceReset", "learningRateChange", "curriculum", "data"] as const;
export type Annotation = (typeof annotations)[number];

/** Channels whose forecasts start again after a change. */
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

export function valueOf(values: Readonly<Record<string, number>>, keys: readonly string[]): number | undefined {
  return firstOf(values, keys)?.value;
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

export function isRead(key: string): boolean {
  return relevant.has(key);
}

/** True if a point has an evaluation but no training metric. As a run's first point, it measures the initial policy. */
export function isBeforeTraining({ values }: Point): boolean {
  return Number.isFinite(firstOf(values, heldOutSuccess)?.value) && firstOf(values, ofTraining) === undefined;
}

const ofTraining = [...trainingSuccess, "update/gradientNorm", ...lossKeys];

/** True if a point is a step of the detector: not behaviour cloning, timings or metrics that only guards read. */
export function isRelevant({ values }: Point): boolean {
  for (const key in values) if (ofSteps.has(key)) return true;
  return false;
}

/** True if an external change takes effect here, so that earlier values are no baseline for later ones. */
export function isChangedAt({ annotations }: Pick<Point, "annotations">): boolean {
  return annotations?.includes("data") ?? false;
}

/** Marks each external change at the first relevant point at or after its iteration. */
export function withChanges(points: readonly Point[], changedAt: readonly number[]): readonly Point[] {
  if (changedAt.length === 0) return points;
  const changed = new Set(
    changedAt.map((first) => points.findIndex((point) => point.iteration >= first && isRelevant(point))),
  );
  return points.map((point, i) =>
    changed.has(i) ? { ...point, annotations: [...(point.annotations ?? []), "data" as const] } : point,
  );
}
