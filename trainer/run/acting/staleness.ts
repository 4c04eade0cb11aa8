import { discardBeyondOf, type Lag } from "#trainer/spec/sampler.ts";
import type { EpisodeRecord, GroupRecord } from "./rollout.ts";

/** Staleness of an episode in iterations: the newest policy's version minus the version that sampled the episode. */
export function ageOf({ version }: Pick<EpisodeRecord, "version">, newest: number): number {
  return version === undefined ? 0 : newest - version;
}

type Bound = { newest: number; lag: Lag | undefined };

/** Removes episodes above the maximum staleness, as asynchronous trainers do, and groups that become empty. */
export function withoutStale(groups: readonly GroupRecord[], { newest, lag }: Bound): readonly GroupRecord[] {
  const oldest = discardBeyondOf(lag);
  if (oldest === Infinity) return groups;
  return groups
    .map((group) => {
      const fresh = group.episodes.filter((episode) => ageOf(episode, newest) <= oldest);
      const rewards = fresh.map((episode) => episode.episodeReward);
      return { ...group, episodes: fresh, rewards, successes: fresh.map((episode) => episode.isSuccess) };
    })
    .filter(({ episodes }) => episodes.length > 0);
}

/** Fraction of episodes that `withoutStale` removes; empty without a maximum staleness. */
export function describeDiscarded(
  groups: readonly GroupRecord[],
  { newest, lag }: Bound,
): { discardedFraction?: number } {
  const oldest = discardBeyondOf(lag);
  const episodes = groups.flatMap((group) => group.episodes);
  if (oldest === Infinity) return {};
  return { discardedFraction: episodes.filter((one) => ageOf(one, newest) > oldest).length / episodes.length };
}
