import type { TaskFamily } from "#trainer/environments/episode.ts";
import { planSampling } from "#trainer/objective/sampling.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { Actor } from "./actor.ts";
import type { Behaviour } from "./behaviour.ts";
import { rollOut, type GroupRecord } from "./rollout.ts";
import { describeDiscarded, withoutStale } from "./staleness.ts";

/** The groups of one iteration: all that were generated (what the metrics describe) and those that reach the update. */
export type Collection = {
  generated: GroupRecord[];
  /** Can be empty: some filters leave out what they do not replace. */
  kept: GroupRecord[];
  numTries: number;
  environmentMs: number;
  /** What the policy loss is multiplied with. */
  lossScale: number;
  /** Share of the episodes that were too old for the update, where their age is bounded. */
  discardedFraction?: number;
};

/**
 * Collects one iteration's groups: rounds of fresh tasks until the method's sampling has enough groups or has tried
 * often enough.
 */
export async function collect(
  spec: RunSpec,
  actor: Actor,
  { family, iteration, behaviour }: { family: TaskFamily; iteration: number; behaviour?: Behaviour | undefined },
): Promise<Collection> {
  const { numGroups, groupSize, historyLength, temperature } = spec.rollout;
  const plan = planSampling(spec.method.sampling, { numGroups, iteration });
  const generated: GroupRecord[] = [];
  const kept: GroupRecord[] = [];
  let environmentMs = 0;
  for (let attempt = 1; ; attempt++) {
    const { groups: round, ...costs } = await rollOut(actor, family, {
      seeds: trainingTasks(spec, { iteration, attempt, count: plan.tasksPerTry }),
      groupSize,
      shape: actor.shape,
      historyLength,
      sampling: { temperature, topP: 1, topK: 0 },
      rngOf: (group, episode, turn) => split(spec.seed, "rollout", iteration, attempt, group, episode, turn),
      ...(behaviour && {
        writerOf: (group, episode) => behaviour.writerOf([iteration, attempt, group, episode]),
        noiseOf: (group, episode, turn) => behaviour.noiseOf([iteration, attempt, group, episode, turn]),
      }),
    });
    generated.push(...round);
    environmentMs += costs.environmentMs;
    const isLastTry = attempt >= plan.maxTries;
    const fresh = withoutStale(round, { newest: iteration - 1, lag: spec.rollout.lag });
    kept.push(...plan.select(fresh, { isLastTry, deficit: numGroups - kept.length }));
    if (isLastTry || kept.length >= numGroups) {
      const lossScale = plan.lossScale(kept.length, generated.length);
      const discarded = describeDiscarded(generated, { newest: iteration - 1, lag: spec.rollout.lag });
      return { generated, kept, numTries: attempt, environmentMs, lossScale, ...discarded };
    }
  }
}

function trainingTasks(
  spec: RunSpec,
  { iteration, attempt, count }: { iteration: number; attempt: number; count: number },
): number[] {
  const rng = split(spec.seed, "tasks", iteration, attempt);
  const { from, to } = taskSeeds.train;
  return Array.from({ length: count }, () => from + rng.int(to - from));
}
