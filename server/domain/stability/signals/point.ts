import type { MetricKey } from "#trainer/spec/metric.ts";
import { guardMetrics } from "./guards.ts";
import { channelNames, channels, type ChannelName } from "./channels.ts";

/** A change made on purpose, after which some channels are no longer what they were. */
export const annotations = ["referenceReset", "learningRateChange", "curriculum", "data"] as const;
export type Annotation = (typeof annotations)[number];

/** The channels that an annotation starts anew. */
export const rewarmedBy: Record<Annotation, readonly ChannelName[]> = {
  referenceReset: ["klReference", "entropy"],
  learningRateChange: ["gradientNorm", "klOld", "ratioMax", "ratioMean"],
  curriculum: ["responseTokens", "invalidActions", "returnSpread", "entropy"],
  // Everything is judged anew, success too: see `takeStep` and `labelPoints`.
  data: channelNames,
};

/** What one iteration logged, under the catalogue's keys; NaN and ±Infinity are values. Keys unknown here are ignored. */
export type Point = {
  iteration: number;
  values: Readonly<Record<string, number>>;
  annotations?: readonly Annotation[];
};

/** What training success is read from, the first one a run logs; the last is not a rate. */
export const trainingSuccess = ["rollout/successRate", "rollout/score", "rollout/returnMean"] as const;
export const heldOutSuccess = ["evaluation/successRate", "evaluation/score", "evaluation/returnMean"] as const;
export type SuccessKey = (typeof trainingSuccess)[number] | (typeof heldOutSuccess)[number];

export function isRate(key: SuccessKey): boolean {
  return key !== "rollout/returnMean" && key !== "evaluation/returnMean";
}

/** The first of a point's values that `keys` name; undefined if it has none of them. */
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

/** As `firstOf`, the value alone. */
export function valueOf(values: Readonly<Record<string, number>>, keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const value = values[key];
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The loss, the first one a run logs. */
export const lossKeys = ["loss/total", "loss/policy"] as const satisfies readonly MetricKey[];

const otherKeys: readonly MetricKey[] = [...lossKeys, "group/zeroVarianceFraction"];
const stepKeys: readonly string[] = [
  ...channelNames.flatMap((name) => channels[name].metrics),
  ...trainingSuccess,
  ...heldOutSuccess,
  ...otherKeys,
];
const ofSteps = new Set(stepKeys);

/** Every metric that the rules read. */
export const relevantKeys: readonly string[] = [...new Set([...stepKeys, ...guardMetrics])];
const relevant = new Set(relevantKeys);

/** Whether the rules read a metric. */
export function isRead(key: string): boolean {
  return relevant.has(key);
}

/** Whether a run's first point is an evaluation and nothing else: what the policy could do before any training. */
export function isBeforeTraining({ values }: Point): boolean {
  return Number.isFinite(firstOf(values, heldOutSuccess)?.value) && firstOf(values, ofTraining) === undefined;
}

const ofTraining = [...trainingSuccess, "update/gradientNorm", ...lossKeys];

/** Whether a point is a step of the detector; others (cloning epochs, timings, what guards alone read) are none. */
export function isRelevant({ values }: Point): boolean {
  for (const key in values) if (ofSteps.has(key)) return true;
  return false;
}

/** True where an external change begins at a point. Earlier values are then no baseline for later ones. */
export function isChangedAt({ annotations }: Pick<Point, "annotations">): boolean {
  return annotations?.includes("data") ?? false;
}

/** Points with the external changes that begin at these iterations, each at the first point from there on. */
export function withChanges(points: readonly Point[], changedAt: readonly number[]): readonly Point[] {
  if (changedAt.length === 0) return points;
  const changed = new Set(
    changedAt.map((first) => points.findIndex((point) => point.iteration >= first && isRelevant(point))),
  );
  return points.map((point, i) =>
    changed.has(i) ? { ...point, annotations: [...(point.annotations ?? []), "data" as const] } : point,
  );
}
