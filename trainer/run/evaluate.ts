import type { TaskFamily } from "#trainer/environments/episode.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { Actor } from "./actor.ts";
import { rollOut } from "./rollout.ts";
import type { Samples } from "./samples.ts";
import { describeEpisodes, withGroup } from "./summary.ts";

/**
 * Plays the held-out tasks once each. The tasks are the same at every evaluation and for every seed of a cell, so
 * curves differ by policy and by sampling, not by luck of the draw.
 */
export async function evaluate(
  spec: RunSpec,
  actor: Actor,
  { family, iteration, samples }: { family: TaskFamily; iteration: number; samples: Samples },
): Promise<Record<string, number>> {
  const { numEpisodes, temperature, topP, topK } = spec.evaluation;
  const groups = await rollOut(actor, family, {
    seeds: Array.from({ length: numEpisodes }, (_, i) => taskSeeds.seen.from + i),
    groupSize: 1,
    shape: actor.shape,
    historyLength: spec.rollout.historyLength,
    sampling: { temperature, topP, topK },
    rngOf: (group, _, turn) => split(spec.seed, "evaluation", iteration, group, turn),
  });
  samples.write(iteration, groups.slice(0, spec.execution.numSamples), actor);
  const { responseTokens: _, truncatedFraction: __, ...values } = describeEpisodes(groups.flatMap((g) => g.episodes));
  return withGroup("evaluation", values);
}
