import type { TaskFamily } from "#trainer/environments/episode.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import type { InitialisationSpec, RunSpec } from "#trainer/spec/run.ts";
import type { Actor } from "#trainer/run/acting/actor.ts";
import { chunk, type TokenRow } from "./batch.ts";
import { rollOut, type EpisodeRecord } from "#trainer/run/acting/rollout.ts";
import { toSequences, toTokenRow } from "./sequences.ts";
import { shareOf } from "#trainer/run/acting/summary.ts";

export type RejectionSpec = Extract<InitialisationSpec, { kind: "rejection" }>;

/** The policy's own episodes of one round, and the successful rows for training. */
export type RejectionRound = {
  kept: TokenRow[];
  values: { "rejection/successRate": number; "rejection/keptEpisodes": number };
};

/** Number of concurrent episodes, which bounds the memory. */
const batchEpisodes = 512;

/**
 * One round of rejection sampling. The policy attempts training tasks once each. The rows of every successful episode
 * with a valid format in all turns are kept.
 */
export async function generateSuccesses(
  spec: RunSpec,
  actor: Actor,
  { family, initialisation, round }: { family: TaskFamily; initialisation: RejectionSpec; round: number },
): Promise<RejectionRound> {
  const { numGenerated, temperature } = initialisation;
  const tasks = split(spec.seed, "rejection tasks", round);
  const { from, to } = taskSeeds.train;
  const seeds = Array.from({ length: numGenerated }, () => from + tasks.int(to - from));
  const episodes: EpisodeRecord[] = [];
  for (const part of chunk(seeds, batchEpisodes)) {
    const first = episodes.length;
    const { groups } = await rollOut(actor, family, {
      seeds: part,
      groupSize: 1,
      shape: actor.shape,
      historyLength: spec.rollout.historyLength,
      sampling: { temperature, topP: 1, topK: 0 },
      rngOf: (group, _, turn) => split(spec.seed, "rejection", round, first + group, turn),
    });
    episodes.push(...groups.flatMap((group) => group.episodes));
  }
  const kept = episodes.filter(isWorthKeeping);
  return {
    kept: kept.flatMap(({ turns }) => toSequences(turns, actor.shape).map(toTokenRow)),
    values: {
      "rejection/successRate": shareOf(episodes, (episode) => episode.isSuccess),
      "rejection/keptEpisodes": kept.length,
    },
  };
}

export function isWorthKeeping({ isSuccess, turns }: EpisodeRecord): boolean {
  return isSuccess && turns.every((turn) => turn.isFormatValid);
}
