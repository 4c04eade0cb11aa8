import { taskSeeds } from "#trainer/spec/environment.ts";
import { readTrace, type ReadTrace } from "#trainer/spec/trace.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { type Facts, type Parts, titleSettings } from "../facts.ts";

/** Ways to divide episodes into groups, of which the first is the reference. */
export const divisions = ["outcome", "training", "configuration"] as const;
export type Division = (typeof divisions)[number];

/** Episodes that count: by default all, else those that succeed or fail. */
export const outcomes = ["success", "failure"] as const;
export type Outcome = (typeof outcomes)[number];

export type Episode = ReadTrace & {
  runId: string;
  method: string;
  seed: number;
  iteration: number;
  task: number;
  /** Number of the episode among those of its task. */
  sample: number;
  trace: string;
  /** True if the run stored its transcript. */
  isStored: boolean;
};

export type EpisodeGroup = { title: string; episodes: readonly Episode[] };
type Options = { by: Division; environment?: string | undefined; only?: Outcome | undefined };
type Given = Facts & Pick<Parts, "traces" | "configurations">;

export type Grouped = {
  environment: string;
  /** All environments with logged actions, the one with the most episodes first. */
  environments: readonly string[];
  groups: readonly EpisodeGroup[];
};

/** Chooses the episodes in one environment, and divides them into groups. Empty groups are left out. */
export function groupEpisodes(facts: Given, { by, environment: chosen, only }: Options): Grouped {
  const counts = new Map<string, number>();
  for (const { environment, tasks } of facts.traces) {
    counts.set(environment, (counts.get(environment) ?? 0) + tasks.reduce((sum, one) => sum + one.length - 1, 0));
  }
  const environments = [...counts].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
  const environment = chosen ?? environments[0] ?? "";
  const all = listEpisodes(facts, environment);
  const firstOf = endsBy(all, Math.min);
  const lastOf = endsBy(all, Math.max);
  const isTrained = ({ runId, iteration }: Episode) => iteration > 0 && iteration === lastOf.get(runId);
  const trained = all.filter(isTrained);
  const groups: Readonly<Record<Division, () => EpisodeGroup[]>> = {
    outcome: () => [
      { title: "Success", episodes: trained.filter(({ ending }) => ending === "success") },
      { title: "Failure", episodes: trained.filter(({ ending }) => ending !== "success") },
    ],
    training: () => [
      {
        title: "Before training",
        episodes: all.filter((one) => one.iteration === firstOf.get(one.runId) && !isTrained(one)),
      },
      { title: "After training", episodes: trained.filter(({ runId }) => firstOf.get(runId) !== lastOf.get(runId)) },
    ],
    configuration: () =>
      [...new Set(trained.map(({ method }) => method))].map((title) => ({
        title,
        episodes: trained.filter(({ method }) => method === title),
      })),
  };
  const counted = groups[by]().map(({ title, episodes }) => ({
    title,
    episodes: episodes.filter(({ ending }) => only === undefined || (ending === "success") === (only === "success")),
  }));
  return { environment, environments, groups: counted.filter(({ episodes }) => episodes.length > 0) };
}

function listEpisodes({ runs, traces, configurations }: Given, environment: string): Episode[] {
  const titleOf = titleSettings(runs);
  const runOf = new Map(runs.map((one) => [one.run.id, one]));
  return traces
    .filter((row) => row.environment === environment)
    .flatMap(({ runId, iteration, tasks }) => {
      const one = runOf.get(runId);
      if (!one) return [];
      const shared = { runId, method: titleOf(one), seed: one.run.seed, iteration };
      const spec = configurations.get(one.cell.id);
      // A run stores the transcript of the first sample of its first tasks.
      const numStored = spec && !isImported(spec) ? spec.execution.numSamples : 0;
      return tasks.flatMap(([task, ...episodes]) =>
        episodes.map((trace, sample) => {
          const isStored = sample === 0 && task - taskSeeds.seen.from < numStored;
          return { ...shared, ...readTrace(trace), task, sample, trace, isStored };
        }),
      );
    });
}

function endsBy(episodes: readonly Episode[], choose: (a: number, b: number) => number): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  for (const { runId, iteration } of episodes) ends.set(runId, choose(ends.get(runId) ?? iteration, iteration));
  return ends;
}

/** Stored transcript of an evaluation episode. */
export type Transcript = Pick<Episode, "runId" | "method" | "seed" | "iteration" | "task">;
const maxTranscripts = 3;

/** Returns up to three stored transcripts of the episodes for which `has` holds. */
export function findTranscripts(episodes: readonly Episode[], has: (episode: Episode) => boolean): Transcript[] {
  return episodes
    .filter((episode) => episode.isStored && has(episode))
    .slice(0, maxTranscripts)
    .map(({ runId, method, seed, iteration, task }) => ({ runId, method, seed, iteration, task }));
}
