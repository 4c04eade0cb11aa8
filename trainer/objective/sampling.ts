import type { Sampling } from "#trainer/spec/dimensions.ts";
import { standardDeviation } from "./baseline.ts";

/** Properties of a group of episodes by which a sampling filter (such as DAPO's) keeps or drops it. */
export type RewardGroup = {
  /** Episode rewards from the environment, before any penalty. */
  rewards: readonly number[];
  /** True for successful episodes, in the same order as `rewards`. */
  successes: readonly boolean[];
};

type Round = {
  /** True in the last round of sampling, after which no further tasks are played. */
  isLastTry: boolean;
  /** Number of groups that the update still lacks. */
  deficit: number;
};

/** Plan for sampling the groups of an iteration: in rounds of fresh tasks, with a filter after each round. */
export type SamplingPlan = {
  tasksPerTry: number;
  maxTries: number;
  select<Group extends RewardGroup>(groups: readonly Group[], round: Round): Group[];
  /** Factor on the policy loss if the filter keeps `kept` of `generated` groups. */
  lossScale(kept: number, generated: number): number;
};

/** Returns the sampling plan of an iteration; iterations count from 1. */
export function planSampling(sampling: Sampling, { numGroups, iteration }: Sizes): SamplingPlan {
  const once = { tasksPerTry: numGroups, maxTries: 1, lossScale: () => 1 };
  switch (sampling.kind) {
    case "all":
      return { ...once, select: (groups) => [...groups] };
    case "dynamic":
      if (iteration <= sampling.coldStartIterations) return { ...once, select: (groups) => [...groups] };
      return { ...once, maxTries: sampling.maxTries, select: replaceUniform };
    case "oversample": {
      const signalOf = sampling.signal === "reward" ? rewardsOf : successesOf;
      return {
        ...once,
        tasksPerTry: numGroups * sampling.factor,
        maxTries: sampling.maxTries,
        select: (groups, { deficit }) =>
          groups
            .filter((group) => group.rewards.length === 1 || standardDeviation(signalOf(group)) > 0)
            .slice(0, deficit),
      };
    }
    case "minSpread":
      return {
        ...once,
        select: (groups) => groups.filter(({ rewards }) => standardDeviation(rewards) > sampling.spread),
      };
    case "topSpread":
      return { ...once, select: (groups) => widest(groups, Math.max(1, Math.floor(groups.length * sampling.share))) };
    case "topVarianceMass": {
      const { lossScale } = sampling;
      const scale = (share: number): number => (lossScale === "sqrt" ? Math.sqrt(share) : share);
      return {
        ...once,
        select: (groups) => widest(groups, countMass(groups, sampling)),
        lossScale: (kept, generated) => (lossScale === "none" || generated === 0 ? 1 : scale(kept / generated)),
      };
    }
  }
}

type Sizes = { numGroups: number; iteration: number };

/**
 * Dynamic sampling (DAPO, arXiv:2503.14476 §3.2, as in ARLArena): drops groups whose rewards are all equal. If groups
 * are still missing after the last round, groups with equal rewards fill up the batch, in order. Surplus groups are
 * discarded.
 */
function replaceUniform<Group extends RewardGroup>(groups: readonly Group[], round: Round): Group[] {
  const informative = groups.filter((group) => !isUniform(group));
  const wanted = round.isLastTry ? [...informative, ...groups.filter(isUniform)] : informative;
  return wanted.slice(0, round.deficit);
}

/** The `count` groups with the largest spread, in the given order; among equals, earlier ones. */
function widest<Group extends RewardGroup>(groups: readonly Group[], count: number): Group[] {
  const order = [...groups.keys()].sort((a, b) => spreadOf(groups[b]) - spreadOf(groups[a]) || a - b);
  const kept = new Set(order.slice(0, count));
  return groups.filter((_, i) => kept.has(i));
}

/**
 * Counts how many groups, in order of decreasing reward variance, reach the fraction `mass` of the total variance
 * (RAGEN v2, linear scores). Groups with a variance up to `minVariance` are ignored.
 */
function countMass(
  groups: readonly RewardGroup[],
  { mass, minVariance }: { mass: number; minVariance: number },
): number {
  const variances = groups.map(({ rewards }) => standardDeviation(rewards) ** 2).filter((x) => x > minVariance);
  const wanted = mass * variances.reduce((sum, x) => sum + x, 0);
  let [count, held] = [0, 0];
  for (const variance of variances.toSorted((a, b) => b - a)) {
    // The tolerance covers rounding errors in the sum of variances, so that no superfluous group is added.
    if (held >= wanted * (1 - 1e-12)) break;
    held += variance;
    count++;
  }
  return count;
}

/** True if all episodes have the same reward, so that group-relative advantages carry no signal. */
function isUniform({ rewards }: Pick<RewardGroup, "rewards">): boolean {
  return rewards.every((reward) => reward === rewards[0]);
}

/** Fraction of groups whose episodes all have the same reward. */
export function zeroVarianceFraction(groups: readonly Pick<RewardGroup, "rewards">[]): number {
  return groups.length === 0 ? 0 : groups.filter(isUniform).length / groups.length;
}

function rewardsOf({ rewards }: RewardGroup): readonly number[] {
  return rewards;
}

function successesOf({ successes }: RewardGroup): readonly number[] {
  return successes.map(Number);
}

function spreadOf(group: RewardGroup | undefined): number {
  return standardDeviation(group?.rewards ?? []);
}
