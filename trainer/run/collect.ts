import type { TaskFamily } from "#trainer/environments/episode.ts";
import { selectGroups } from "#trainer/objective/sampling.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { Actor } from "./actor.ts";
import { rollOut, type GroupRecord } from "./rollout.ts";

/** The groups of one iteration: all that were generated (what the metrics describe) and those that reach the update. */
export type Collection = { generated: GroupRecord[]; kept: GroupRecord[]; numTries: number };

/**
 * Collects one iteration's groups. With dynamic sampling, rounds of fresh tasks are generated until enough groups carry
 * signal; the last round fills up with groups that do not (ARLArena, dynamic_multi_turn_loop).
 */
export async function collect(
  spec: RunSpec,
  actor: Actor,
  { family, iteration }: { family: TaskFamily; iteration: number },
): Promise<Collection> {
  const { numGroups, groupSize, historyLength, temperature } = spec.rollout;
  const maxTries = triesOf(spec, iteration);
  const generated: GroupRecord[] = [];
  const kept: GroupRecord[] = [];
  for (let attempt = 1; ; attempt++) {
    const round = await rollOut(actor, family, {
      seeds: trainingTasks(spec, iteration, attempt),
      groupSize,
      historyLength,
      sampling: { temperature, topP: 1, topK: 0 },
      rngOf: (group, episode, turn) => split(spec.seed, "rollout", iteration, attempt, group, episode, turn),
    });
    generated.push(...round);
    const isFiltering = maxTries !== undefined;
    const isLastTry = attempt >= (maxTries ?? 1);
    kept.push(...(isFiltering ? selectGroups(round, { isLastTry, deficit: numGroups - kept.length }) : round));
    if (isLastTry || kept.length >= numGroups) return { generated, kept, numTries: attempt };
  }
}

/** Generation tries of this iteration; undefined while nothing is filtered. */
function triesOf({ method: { sampling } }: RunSpec, iteration: number): number | undefined {
  if (sampling.kind !== "dynamic" || iteration <= sampling.coldStartIterations) return undefined;
  return sampling.maxTries;
}

function trainingTasks(spec: RunSpec, iteration: number, attempt: number): number[] {
  const rng = split(spec.seed, "tasks", iteration, attempt);
  const { from, to } = taskSeeds.train;
  return Array.from({ length: spec.rollout.numGroups }, () => from + rng.int(to - from));
}
