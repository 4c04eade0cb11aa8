import type { MetricKey } from "#trainer/spec/metric.ts";
import { channelNames, channels } from "./channels.ts";
import type { DetectorConfig } from "../config.ts";

type Guard = {
  metric: MetricKey;
  says: string;
  isBroken: (x: number, limits: DetectorConfig["guards"]) => boolean;
  /** True for a limit on the difference between sampler and trainer, which is wider if the sampler is stale. */
  isOfSampler?: true;
};

/** Fixed limits for every run, which give at most a warning: those of verl's health check, and three more. */
const guards: readonly Guard[] = [
  {
    metric: "policy/samplerKl",
    says: "sampler and trainer disagree (KL)",
    isBroken: (x, { samplerKl }) => Math.abs(x) > samplerKl,
    isOfSampler: true,
  },
  {
    metric: "policy/samplerChiSquared",
    says: "sampler and trainer disagree (χ²)",
    isBroken: (x, { samplerChiSquared }) => x > samplerChiSquared,
    isOfSampler: true,
  },
  {
    metric: "policy/samplerEffectiveSampleFraction",
    says: "few samples carry the weight of the sampler's correction",
    isBroken: (x, { effectiveSample }) => x < effectiveSample,
    isOfSampler: true,
  },
  {
    metric: "policy/effectiveSampleFraction",
    says: "few samples carry the weight of the update",
    isBroken: (x, { effectiveSample }) => x < effectiveSample,
    // Without a proximal policy, the weights in the update are ratios to the sampler.
    isOfSampler: true,
  },
  {
    metric: "policy/samplerRatioMean",
    says: "mean ratio of trainer to sampler is off",
    isBroken: (x, { ratioMean: [low, high] }) => x < low || x > high,
  },
  {
    metric: "policy/samplerRatioStd",
    says: "ratios of trainer to sampler spread widely",
    isBroken: (x, { ratioStd }) => x > ratioStd,
    isOfSampler: true,
  },
  {
    metric: "rollout/truncatedFraction",
    says: "most responses are cut off",
    isBroken: (x, { truncated }) => x > truncated,
  },
  // The log-ratio is clamped to ±20, so the largest possible ratio is e²⁰.
  { metric: "policy/ratioMax", says: "the largest ratio is at its limit", isBroken: (x) => x >= 0.999 * Math.exp(20) },
  {
    metric: "policy/klReference",
    says: "the KL to the reference is at the ceiling of its estimate",
    isBroken: (x, { klReference }) => x > klReference,
  },
];

const staleness: MetricKey = "policy/staleness";

export const guardMetrics: readonly MetricKey[] = [...guards.map(({ metric }) => metric), staleness];

const followed = new Set<MetricKey>(channelNames.flatMap((name) => channels[name].metrics));

export function brokenGuards(values: Readonly<Record<string, number>>, { guards: limits }: DetectorConfig): string[] {
  const broken: string[] = [];
  const isStale = limits.stale !== undefined && (values[staleness] ?? 0) >= 1;
  for (const { metric, says, isBroken, isOfSampler } of guards) {
    const value = values[metric];
    if (value === undefined || (limits.areFed !== true && !followed.has(metric))) continue;
    if (isBroken(value, isStale && isOfSampler ? { ...limits, ...limits.stale } : limits)) broken.push(says);
  }
  return broken;
}
