import { meanOf } from "#trainer/spec/averages.ts";
import { standardDeviation } from "#trainer/objective/baseline.ts";
import { zeroVarianceFraction } from "#trainer/objective/sampling.ts";
import type { Collection } from "./collect.ts";
import { executedTurns, type EpisodeRecord, type GroupRecord, type TurnRecord } from "./rollout.ts";

export function shareOf<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  return items.filter(holds).length / items.length;
}

export function describeEpisodes(episodes: readonly EpisodeRecord[]) {
  const turns = episodes.flatMap(executedTurns);
  return {
    successRate: shareOf(episodes, (episode) => episode.isSuccess),
    returnMean: meanOf(episodes.map((episode) => episode.episodeReward)),
    score: meanOf(episodes.map((episode) => episode.score)),
    validFormatRate: shareOf(turns, (turn) => turn.isFormatValid),
    validActionRate: shareOf(turns, isValid),
    episodeTurns: meanOf(episodes.map((episode) => executedTurns(episode).length)),
    responseTokens: meanOf(turns.map((turn) => turn.response.length)),
    truncatedFraction: shareOf(turns, (turn) => turn.isCut),
  };
}

/** Share of the sampled responses that loop-aware control rejected; empty without it. */
export function describeRejected(episodes: readonly EpisodeRecord[], isControlled: boolean): Record<string, number> {
  const responses = episodes.flatMap(({ turns }) => turns);
  return isControlled ? { rejectedFraction: shareOf(responses, ({ isRejected }) => isRejected === true) } : {};
}

export function isValid(turn: TurnRecord): boolean {
  return turn.isFormatValid && turn.isActionValid;
}

/** One iteration's rollouts: statistics of all generated groups, and the number of training rows. */
export function describeRollouts(
  { generated, kept, numTries, discardedFraction }: Collection,
  { numRows, hasScore, isControlled }: { numRows: number; hasScore: boolean; isControlled: boolean },
) {
  const episodes = generated.flatMap((group) => group.episodes);
  const turns = episodes.flatMap((episode) => episode.turns);
  const { score, ...described } = describeEpisodes(episodes);
  const greedy = kept.flatMap((group) => group.greedy ?? []);
  return {
    numEpisodes: episodes.length,
    sampledTokens: [...turns, ...greedy.flatMap((one) => one.turns)].reduce(
      (n, { response }) => n + response.length,
      0,
    ),
    values: {
      ...withGroup("rollout", {
        ...described,
        ...(greedy.length > 0 && { greedySuccessRate: shareOf(greedy, ({ isSuccess }) => isSuccess) }),
        ...(hasScore && { score }),
        ...describeRejected(episodes, isControlled),
        numRows,
        ...(discardedFraction !== undefined && { discardedFraction }),
      }),
      ...describeParts("rollout", generated),
      ...describeMixture({ generated, kept }),
      ...withGroup("group", {
        ...describeGroups(generated),
        filteredFraction: 1 - kept.length / generated.length,
        numTries,
      }),
    },
  };
}

/** Success rate, score and turns in each component environment of a mixture or phase of a curriculum, else empty. */
export function describeParts(group: "rollout" | "evaluation", groups: readonly GroupRecord[]): Record<string, number> {
  const parts = new Map(groups.flatMap(({ part }) => (part ? [[part.name, part.family] as const] : [])));
  const described = [...parts].map(([name, { hasScore }]) => {
    const own = groups.filter(({ part }) => part?.name === name).flatMap(({ episodes }) => episodes);
    const { successRate, score, episodeTurns } = describeEpisodes(own);
    return withGroup(`${group}/in/${name}`, { successRate, ...(hasScore && { score }), turns: episodeTurns });
  });
  return Object.assign({}, ...described);
}

/** Fraction of the groups that each component of a mixture has, before and after the group filter. */
function describeMixture({ generated, kept }: Pick<Collection, "generated" | "kept">): Record<string, number> {
  const names = new Set(generated.flatMap(({ part }) => part?.name ?? []));
  if (names.size < 2) return {};
  return Object.fromEntries(
    [...names].sort().flatMap((name) => {
      const isOwn = ({ part }: GroupRecord) => part?.name === name;
      const before = [`rollout/in/${name}/generatedFraction`, shareOf(generated, isOwn)] as const;
      return kept.length === 0
        ? [before]
        : [before, [`rollout/in/${name}/keptFraction`, shareOf(kept, isOwn)] as const];
    }),
  );
}

/** Maximum resident set size of this process so far, in MB. */
export function peakMemoryMb(): number {
  return (process.resourceUsage().maxRSS * 1024) / 1e6;
}

export function describeGroups(groups: readonly GroupRecord[]) {
  return {
    zeroVarianceFraction: zeroVarianceFraction(groups),
    returnStd: meanOf(groups.map((group) => standardDeviation(group.rewards))),
  };
}

export function withGroup(group: string, values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, x]) => [`${group}/${name}`, x]));
}
