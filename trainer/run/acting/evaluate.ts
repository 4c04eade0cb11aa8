import { meanOf } from "#trainer/spec/averages.ts";
import type { TaskFamily } from "#trainer/environments/episode.ts";
import { spendingOf } from "#trainer/spec/budget.ts";
import { elsewhereOf } from "#trainer/spec/elsewhere.ts";
import { taskSeeds } from "#trainer/spec/environment.ts";
import { controlsLoops } from "#trainer/spec/sampler.ts";
import { panelSeedOf } from "#trainer/spec/origin.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { Actor } from "./actor.ts";
import { rollOut, type EpisodeRecord, type GroupRecord } from "./rollout.ts";
import type { EpisodeFile } from "./storedEpisodes.ts";
import { describeActions, logTraces, type TraceLog } from "./traces.ts";
import { describeEpisodes, describeParts, describeRejected, shareOf, withGroup } from "./summary.ts";

/** Task seeds `firstSeed`, …, `firstSeed + numEpisodes − 1`. `stream` names the random streams. */
type Panel = { family: TaskFamily; iteration: number; stream: string; firstSeed: number; numEpisodes: number };

/**
 * Plays each held-out task `samplesPerTask` times, by default once. Every evaluation of every seed of a cell uses the
 * same tasks, so curves differ by policy and by sampling, not by the choice of tasks.
 */
async function play(spec: RunSpec, actor: Actor, panel: Panel): Promise<GroupRecord[]> {
  const { samplesPerTask = 1, temperature, topP, topK } = spec.evaluation;
  const { family, iteration, stream, firstSeed, numEpisodes } = panel;
  const { groups } = await rollOut(actor, family, {
    seeds: Array.from({ length: numEpisodes }, (_, i) => firstSeed + i),
    groupSize: samplesPerTask,
    shape: actor.shape,
    historyLength: spec.rollout.historyLength,
    sampling: { temperature, topP, topK },
    // The first sample's index is left out, so that its stream is the same for every number of samples.
    rngOf: (group, index, ...at) =>
      split(panelSeedOf(spec), stream, iteration, group, ...at, ...(index === 0 ? [] : [index])),
    rejectsRepeats: controlsLoops(spec.rollout, "evaluation"),
  });
  return groups;
}

const seenPanel = { stream: "evaluation", firstSeed: taskSeeds.seen.from };
const unseenPanel = { stream: "unseen evaluation", firstSeed: taskSeeds.unseen.from };

type Evaluated = {
  family: TaskFamily;
  phases: readonly TaskFamily[];
  iteration: number;
  episodeFile: EpisodeFile;
} & TraceLog;

/**
 * Evaluates the policy on held-out tasks of the run's environment and returns metrics. A curriculum is evaluated in
 * its last phase's environment, and in addition in those of earlier phases.
 */
export async function evaluate(
  spec: RunSpec,
  actor: Actor,
  { family, phases, iteration, episodeFile, log }: Evaluated,
): Promise<Record<string, number>> {
  const { numEpisodes, unseenEpisodes } = spec.evaluation;
  const besides: Record<string, number> = {};
  for (const phase of phases.slice(0, -1)) {
    const played = await play(spec, actor, { ...seenPanel, family: phase, iteration, numEpisodes });
    logTraces(spec, log, { iteration, groups: played });
    Object.assign(besides, describeParts("evaluation", played));
  }
  const groups = await play(spec, actor, { ...seenPanel, family, iteration, numEpisodes });
  const shown = groups.slice(0, spec.execution.numSamples);
  episodeFile.write(
    iteration,
    shown.map((group) => ({ ...group, episodes: group.episodes.slice(0, 1) })),
    actor,
  );
  logTraces(spec, log, { iteration, groups });
  const episodes = groups.flatMap((group) => group.episodes);
  const { responseTokens: _, truncatedFraction: __, score, ...values } = describeEpisodes(episodes);
  const seen = {
    ...withGroup("evaluation", { ...values, ...(family.hasScore && { score }) }),
    ...withGroup("evaluation", describeSamples(groups)),
    ...withGroup("evaluation", describeRejected(episodes, controlsLoops(spec.rollout, "evaluation"))),
    ...besides,
    ...describeParts("evaluation", groups),
    ...withGroup("taskSuccess", successByType(episodes)),
    ...withGroup("behaviour", describeActions(spec, groups)),
  };
  if (unseenEpisodes === 0) return seen;
  const unseenGroups = await play(spec, actor, { ...unseenPanel, family, iteration, numEpisodes: unseenEpisodes });
  logTraces(spec, log, { iteration, groups: unseenGroups, unseen: true });
  const unseen = unseenGroups.flatMap((group) => group.episodes);
  const described = describeEpisodes(unseen);
  return {
    ...seen,
    "evaluation/unseenSuccessRate": described.successRate,
    ...(family.hasScore && { "evaluation/unseenScore": described.score }),
    ...withGroup("unseenTaskSuccess", successByType(unseen)),
  };
}

export function isDueElsewhere(spec: RunSpec, iteration: number): boolean {
  return dueElsewhere(spec, iteration).length > 0;
}

function dueElsewhere(spec: RunSpec, iteration: number) {
  const { iterations } = spendingOf(spec);
  return elsewhereOf(spec).filter(
    ({ every = iterations }) => iteration === 0 || iteration === iterations || iteration % every === 0,
  );
}

/**
 * Evaluates the policy in every other environment that is due, with the random streams and settings of the run's own
 * evaluation. In an environment that equals the run's own, the success rate is therefore identical.
 */
export async function evaluateElsewhere(
  spec: RunSpec,
  actor: Actor,
  { elsewhere, iteration }: { elsewhere: ReadonlyMap<string, TaskFamily>; iteration: number },
): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const { name, numEpisodes = spec.evaluation.numEpisodes } of dueElsewhere(spec, iteration)) {
    const family = elsewhere.get(name);
    if (!family) throw new Error(`evaluation.elsewhere: no environment was made for ${name}`);
    const measured = await evaluateIn(spec, actor, { family, iteration, numEpisodes });
    Object.assign(values, withGroup(`evaluation/elsewhere/${name}`, { ...measured }));
  }
  return values;
}

export async function evaluateIn(
  spec: RunSpec,
  actor: Actor,
  place: Pick<Panel, "family" | "iteration" | "numEpisodes">,
): Promise<{ successRate: number; score?: number; turns: number }> {
  const groups = await play(spec, actor, { ...seenPanel, ...place });
  const { successRate, score, episodeTurns } = describeEpisodes(groups.flatMap(({ episodes }) => episodes));
  return { successRate, ...(place.family.hasScore && { score }), turns: episodeTurns };
}

/** Success rate of every task type among the episodes; empty if the environment has no task types. */
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
 * Metrics of n samples per task for k = 2, 4, 8, … and n; empty for n = 1. pass@k is the probability that at least
 * one of k samples solves a task. k@n is the fraction of tasks that at least k of their n samples solve.
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

/** Unbiased pass@k, c of n samples succeed: 1 − C(n−c, k)/C(n, k) (Chen et al. 2021, arXiv 2107.03374, eq. 1). */
export function passAtK({ n, c }: { n: number; c: number }, k: number): number {
  if (n - c < k) return 1;
  let allFail = 1;
  for (let i = n - c + 1; i <= n; i++) allFail *= 1 - k / i;
  return 1 - allFail;
}
