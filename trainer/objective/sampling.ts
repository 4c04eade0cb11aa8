import type { Sampling } from "#trainer/spec/dimensions.ts";
import { standardDeviation } from "./baseline.ts";

/** Properties of a group that a filter uses. */
export type RewardGroup = {
  /** Raw episode rewards: the environment's, before any penalty. */
  rewards: readonly number[];
  /** Successes of the same episodes. */
  successes: readonly boolean[];
};

type Round = {
  /** True if no further round of fresh tasks will follow. */
  isLastTry: boolean;
  /** Number of groups that are still missing. */
  deficit: number;
};

/** How the groups of an iteration are collected: rounds of fresh tasks, and a filter after each round. */
export type SamplingPlan = {
  tasksPerTry: number;
  maxTries: number;
  select<Group extends RewardGroup>(groups: readonly Group[], round: Round): Group[];
  /** Factor of the policy loss when `kept` of `generated` groups are kept. */
  lossScale(kept: number, generated: number): number;
};

/** Sampling plan for iteration 1, 2, … */
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
 * Dynamic sampling (DAPO, arXiv:2503.14476 §3.2, as in ARLArena): groups without signal are dropped. After the last
 * round, uniform groups fill the missing places, in order. Surplus groups are discarded.
 */
function replaceUniform<Group extends RewardGroup>(groups: readonly Group[], round: Round): Group[] {
  const informative = groups.filter((group) => !isUniform(group));
  const wanted = round.isLastTry ? [...informative, ...groups.filter(isUniform)] : informative;
  return wanted.slice(0, round.deficit);
}

/** The groups with the largest reward spread, in the given order; the first among equals. */
function widest<Group extends RewardGroup>(groups: readonly Group[], count: number): Group[] {
  const order = [...groups.keys()].sort((a, b) => spreadOf(groups[b]) - spreadOf(groups[a]) || a - b);
  const kept = new Set(order.slice(0, count));
  return groups.filter((_, i) => kept.has(i));
}

/** Number of groups, widest first, that contain the wanted fraction of the total variance (RAGEN v2, linear scores). */
function countMass(
  groups: readonly RewardGroup[],
  { mass, minVariance }: { mass: number; minVariance: number },
): number {
  const variances = groups.map(({ rewards }) => standardDeviation(rewards) ** 2).filter((x) => x > minVariance);
  const wanted = mass * variances.reduce((sum, x) => sum + x, 0);
  let [count, held] = [0, 0];
  for (const variance of variances.toSorted((a, b) => b - a)) {
    // The last group that is needed may miss the fraction by rounding error alone.
    if (held >= wanted * (1 - 1e-12)) break;
    held += variance;
    count++;
  }
  return count;
}

/** True if all episodes got the same reward, so that group-relative advantages carry no signal. */
function isUniform({ rewards }: Pick<RewardGroup, "rewards">): boolean {
  return rewards.every((reward) => reward === rewards[0]);
}

/** Fraction of groups whose episodes all got the same reward. */
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
