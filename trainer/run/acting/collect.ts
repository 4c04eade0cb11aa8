import type { TaskFamily } from "#trainer/environments/episode.ts";
import { planSampling } from "#trainer/objective/sampling.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { controlsLoops } from "#trainer/spec/sampler.ts";
import { chanceOf } from "#trainer/spec/origin.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";
import type { Actor } from "./actor.ts";
import type { Behaviour } from "./behaviour.ts";
import { rollOut, type GroupRecord, type RolloutPlan } from "./rollout.ts";
import { describeDiscarded, withoutStale } from "./staleness.ts";

/** Groups of episodes of one iteration: all generated groups (for metrics), and those used in the update. */
export type Collection = {
  generated: GroupRecord[];
  /** Groups used in the update; may be empty, because some sampling filters drop groups without replacement. */
  kept: GroupRecord[];
  numTries: number;
  environmentMs: number;
  /** Factor on the policy loss, set by the sampling filter. */
  lossScale: number;
  /** Fraction of episodes dropped because they exceed the maximum staleness; absent if the specification sets none. */
  discardedFraction?: number;
};

/** Plays rounds of fresh tasks until the sampling filter keeps enough groups, at most the maximum number of rounds. */
export async function collect(spec: RunSpec, actor: Actor, acting: Acting): Promise<Collection> {
  const { family, iteration } = acting;
  const { numGroups, groupSize } = spec.rollout;
  const plan = planSampling(spec.method.sampling, { numGroups, iteration });
  const generated: GroupRecord[] = [];
  const kept: GroupRecord[] = [];
  let environmentMs = 0;
  for (let attempt = 1; ; attempt++) {
    const { groups: round, ...costs } = await rollOut(actor, family, {
      ...playedBySampler(spec, actor, { ...acting, attempt }),
      rejectsRepeats: controlsLoops(spec.rollout, "training"),
      seeds: trainingTasks(spec, { iteration, attempt, count: plan.tasksPerTry }),
      groupSize,
    });
    generated.push(...round);
    environmentMs += costs.environmentMs;
    const isLastTry = attempt >= plan.maxTries;
    const fresh = withoutStale(round, { newest: iteration - 1, lag: spec.rollout.lag });
    kept.push(...plan.select(fresh, { isLastTry, deficit: numGroups - kept.length }));
    if (isLastTry || kept.length >= numGroups) {
      const lossScale = plan.lossScale(kept.length, generated.length);
      const discarded = describeDiscarded(generated, { newest: iteration - 1, lag: spec.rollout.lag });
      const greedy = await playGreedy(spec, actor, { ...acting, kept });
      environmentMs += greedy.environmentMs;
      return { generated, kept: greedy.kept, numTries: attempt, environmentMs, lossScale, ...discarded };
    }
  }
}

type Acting = { family: TaskFamily; iteration: number; behaviour?: Behaviour | undefined };

/** One sampling round's settings: policies, logit noise and random streams of its episodes. */
function playedBySampler(
  spec: RunSpec,
  { shape }: Actor,
  { iteration, behaviour, attempt }: Acting & { attempt: number },
): Omit<RolloutPlan, "seeds" | "groupSize"> {
  const { historyLength, temperature } = spec.rollout;
  const chance = chanceOf(spec);
  return {
    shape,
    historyLength,
    sampling: { temperature, topP: 1, topK: 0 },
    rngOf: (group, episode, ...at) => split(chance, "rollout", iteration, attempt, group, episode, ...at),
    ...(behaviour && {
      writerOf: (group, episode) => behaviour.writerOf([iteration, attempt, group, episode]),
      noiseOf: (group, episode, ...at) => behaviour.noiseOf([iteration, attempt, group, episode, ...at]),
    }),
  };
}

/** Number of the greedy episodes' round in random streams. Sampled rounds count from 1, so none shares it. */
const greedyAttempt = 0;

/** Adds a greedy episode (temperature 0) of the same task to each kept group, if the method needs one (ReMax). */
async function playGreedy(
  spec: RunSpec,
  actor: Actor,
  { kept, ...acting }: Acting & { kept: GroupRecord[] },
): Promise<Pick<Collection, "kept" | "environmentMs">> {
  if (advantageTraits[spec.method.advantage.kind].reads !== "greedyScore") return { kept, environmentMs: 0 };
  const { groups, environmentMs } = await rollOut(actor, acting.family, {
    ...playedBySampler(spec, actor, { ...acting, attempt: greedyAttempt }),
    sampling: { temperature: 0, topP: 1, topK: 0 },
    seeds: kept.map(({ seed }) => seed),
    groupSize: 1,
  });
  const withGreedy = kept.map((group, i) => {
    const greedy = groups[i]?.episodes[0];
    if (!greedy) throw new Error(`no greedy episode of group ${i} of ${kept.length}`);
    return { ...group, greedy };
  });
  return { kept: withGreedy, environmentMs };
}

function trainingTasks(
  spec: RunSpec,
  { iteration, attempt, count }: { iteration: number; attempt: number; count: number },
): number[] {
  const rng = split(chanceOf(spec), "tasks", iteration, attempt);
  const { from, to } = taskSeeds.train;
  return Array.from({ length: count }, () => from + rng.int(to - from));
}
