import type { TaskFamily } from "#trainer/environments/episode.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { Actor } from "./actor.ts";
import { rollOut, type EpisodeRecord, type GroupRecord } from "./rollout.ts";
import type { Samples } from "./samples.ts";
import { describeEpisodes, shareOf, withGroup } from "./summary.ts";

/**
 * Plays the held-out tasks once each. The tasks are the same at every evaluation and for every seed of a cell, so
 * curves differ by policy and by sampling, not by luck of the draw.
 */
export async function evaluate(
  spec: RunSpec,
  actor: Actor,
  { family, iteration, samples }: { family: TaskFamily; iteration: number; samples: Samples },
): Promise<Record<string, number>> {
  const { numEpisodes, unseenEpisodes, temperature, topP, topK } = spec.evaluation;
  const play = async (name: string, first: number, count: number): Promise<GroupRecord[]> => {
    const { groups } = await rollOut(actor, family, {
      seeds: Array.from({ length: count }, (_, i) => first + i),
      groupSize: 1,
      shape: actor.shape,
      historyLength: spec.rollout.historyLength,
      sampling: { temperature, topP, topK },
      rngOf: (group, _, turn) => split(spec.seed, name, iteration, group, turn),
    });
    return groups;
  };
  const groups = await play("evaluation", taskSeeds.seen.from, numEpisodes);
  samples.write(iteration, groups.slice(0, spec.execution.numSamples), actor);
  const episodes = groups.flatMap((group) => group.episodes);
  const { responseTokens: _, truncatedFraction: __, score, ...values } = describeEpisodes(episodes);
  const seen = {
    ...withGroup("evaluation", { ...values, ...(family.hasScore && { score }) }),
    ...withGroup("taskSuccess", successByType(episodes)),
  };
  if (unseenEpisodes === 0) return seen;
  const unseen = (await play("unseen evaluation", taskSeeds.unseen.from, unseenEpisodes)).flatMap((g) => g.episodes);
  const described = describeEpisodes(unseen);
  return {
    ...seen,
    "evaluation/unseenSuccessRate": described.successRate,
    ...(family.hasScore && { "evaluation/unseenScore": described.score }),
    ...withGroup("unseenTaskSuccess", successByType(unseen)),
  };
}

/** Success rate of every type of task that occurs; nothing where tasks are of one kind. */
function successByType(episodes: readonly EpisodeRecord[]): Record<string, number> {
  const types = new Set(episodes.flatMap(({ taskType }) => taskType ?? []));
  return Object.fromEntries(
    [...types].sort().map((type) => [
      type,
      shareOf(
        episodes.filter(({ taskType }) => taskType === type),
        ({ isSuccess }) => isSuccess,
      ),
    ]),
  );
}
