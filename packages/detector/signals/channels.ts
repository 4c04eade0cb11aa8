import type { MetricKey } from "#trainer/spec/metric.ts";
import { toArcsine } from "./robust.ts";

export const channelNames = [
  "gradientNorm",
  "klReference",
  "klOld",
  "ratioMax",
  "ratioMean",
  "entropy",
  "responseTokens",
  "invalidActions",
  "returnSpread",
] as const;
export type ChannelName = (typeof channelNames)[number];

/** Groups of related channels. Agreement of two groups makes a run unstable. */
export const channelGroups = ["gradient", "reference", "ratio", "entropy", "length", "action", "reward"] as const;
export type ChannelGroup = (typeof channelGroups)[number];

export type Channel = {
  title: string;
  group: ChannelGroup;
  /** Keys in order of preference: the first logged metric is used. */
  metrics: readonly MetricKey[];
  /** Converts to a scale on which changes are differences: usually the logarithm, so that differences are ratios. */
  transform: (x: number) => number;
  /** Smallest relevant rise and fall on that scale; absent for a direction that is no sign of instability. */
  rise?: number;
  fall?: number;
  /** Smallest noise standard deviation that is assumed; "rate": derived from the number of episodes. */
  floor: number | "rate";
  /** True if infinity is a valid value, which then counts as the largest value. */
  mayBeInfinite?: true;
};

export const channels: Record<ChannelName, Channel> = {
  gradientNorm: {
    title: "Gradient norm",
    group: "gradient",
    metrics: ["update/gradientNorm"],
    transform: (x) => Math.log(positivePart(x) + 1e-6),
    rise: 0.69,
    floor: 0.15,
  },
  klReference: {
    title: "KL to reference",
    group: "reference",
    metrics: ["policy/klReference"],
    transform: (x) => Math.log(positivePart(x) + 1e-3),
    rise: 0.59,
    floor: 0.12,
    mayBeInfinite: true,
  },
  klOld: {
    title: "KL old → new",
    group: "ratio",
    metrics: ["policy/klOld"],
    // The k1 estimate of KL may be negative, so its absolute value is used.
    transform: (x) => Math.log(Math.abs(x) + 1e-5),
    rise: 0.92,
    floor: 0.2,
    mayBeInfinite: true,
  },
  ratioMax: {
    title: "Ratio, maximum",
    group: "ratio",
    metrics: ["policy/ratioMax"],
    transform: logOf,
    rise: 0.69,
    floor: 0.15,
    mayBeInfinite: true,
  },
  ratioMean: {
    title: "Ratio, mean",
    group: "ratio",
    metrics: ["policy/ratioMean"],
    transform: logOf,
    rise: 0.02,
    fall: 0.02,
    floor: 0.003,
    mayBeInfinite: true,
  },
  entropy: {
    title: "Entropy",
    group: "entropy",
    metrics: ["policy/entropy"],
    transform: (x) => Math.log(positivePart(x) + 1e-3),
    rise: 0.4,
    fall: 0.92,
    floor: 0.08,
  },
  responseTokens: {
    title: "Response length",
    group: "length",
    metrics: ["rollout/responseTokens"],
    transform: (x) => Math.log(positivePart(x) + 1),
    rise: 0.26,
    floor: 0.05,
  },
  invalidActions: {
    title: "Invalid actions",
    group: "action",
    metrics: ["rollout/validActionRate", "rollout/validFormatRate"],
    transform: toArcsine,
    rise: 0.25,
    floor: "rate",
  },
  returnSpread: {
    title: "Return spread in a group",
    group: "reward",
    metrics: ["group/returnStd"],
    transform: (x) => Math.log(positivePart(x) + 0.01),
    fall: 0.69,
    floor: 0.12,
  },
};

function positivePart(x: number): number {
  return Math.max(0, x);
}

/** A ratio cannot be 0 but may be rounded to 0 in the log. */
function logOf(x: number): number {
  return Math.log(Math.max(x, 1e-12));
}
