import type { TaskFamily } from "#trainer/environments/episode.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { Actor } from "./actor.ts";
import { rollOut, type EpisodeRecord, type GroupRecord } from "./rollout.ts";
import type { Samples } from "./samples.ts";
import { describeEpisodes, shareOf, withGroup, meanOf } from "./summary.ts";

/**
 * Plays each held-out task as often as specified, once by default. The tasks are the same at every evaluation and for
 * every seed of a cell. Curves therefore differ by policy and by sampling, not by the choice of tasks.
 */
export async function evaluate(
  spec: RunSpec,
  actor: Actor,
  { family, iteration, samples }: { family: TaskFamily; iteration: number; samples: Samples },
): Promise<Record<string, number>> {
  const { numEpisodes, samplesPerTask = 1, unseenEpisodes, temperature, topP, topK } = spec.evaluation;
  const play = async (name: string, first: number, count: number): Promise<GroupRecord[]> => {
    const { groups } = await rollOut(actor, family, {
      seeds: Array.from({ length: count }, (_, i) => first + i),
      groupSize: samplesPerTask,
      shape: actor.shape,
      historyLength: spec.rollout.historyLength,
      sampling: { temperature, topP, topK },
      // The first sample of a task uses the random stream of a single sample.
      rngOf: (group, index, turn) => split(spec.seed, name, iteration, group, turn, ...(index === 0 ? [] : [index])),
    });
    return groups;
  };
  const groups = await play("evaluation", taskSeeds.seen.from, numEpisodes);
  const shown = groups.slice(0, spec.execution.numSamples);
  samples.write(
    iteration,
    shown.map((group) => ({ ...group, episodes: group.episodes.slice(0, 1) })),
    actor,
  );
  const episodes = groups.flatMap((group) => group.episodes);
  const { responseTokens: _, truncatedFraction: __, score, ...values } = describeEpisodes(episodes);
  const seen = {
    ...withGroup("evaluation", { ...values, ...(family.hasScore && { score }) }),
    ...withGroup("evaluation", describeSamples(groups)),
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

/** Success rate of every task type that occurs; empty where tasks are of one kind. */
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

/**
 * Statistics of n samples per task besides their mean: pass@k, the probability that one of k samples solves a task, and
 * k@n, the fraction of tasks that at least k of n solved. For k of 2, 4, 8, … and n; empty for n = 1.
 */
export function describeSamples(groups: readonly Pick<GroupRecord, "successes">[]): Record<string, number> {
  const solved = groups.map(({ successes }) => ({ n: successes.length, c: successes.filter(Boolean).length }));
  const n = solved[0]?.n ?? 0;
  const powers = [2, 4, 8, 16, 32, 64, 128].filter((k) => k < n);
  return Object.fromEntries(
    (n > 1 ? [...powers, n] : []).flatMap((k) => [
      [`passAt${k}`, meanOf(solved.map((task) => passAtK(task, k)))] as const,
      [`atLeast${k}`, shareOf(solved, ({ c }) => c >= k)] as const,
    ]),
  );
}

/**
 * The unbiased estimate of pass@k from n samples with c successes, 1 − C(n−c, k)/C(n, k), as a product without large
 * factorials (Chen et al. 2021, arXiv 2107.03374, eq. 1).
 */
export function passAtK({ n, c }: { n: number; c: number }, k: number): number {
  if (n - c < k) return 1;
  let allFail = 1;
  for (let i = n - c + 1; i <= n; i++) allFail *= 1 - k / i;
  return 1 - allFail;
}
