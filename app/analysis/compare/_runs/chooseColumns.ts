import type { EpisodeHead } from "#server/api/runs/episodes.ts";

export type SampledRun = { runId: string; name: string; episodes: readonly EpisodeHead[] };

export type EpisodeColumn = { runId: string; name: string; head: EpisodeHead };

export type ColumnChoice = {
  /** Seed of the compared task; undefined: the task of which the most runs recorded episodes. */
  task: number | undefined;
  /** Iteration of the compared episodes; undefined: the last evaluation of each run. */
  iteration: number | undefined;
  /** Id of the run whose episodes are compared over its iterations; undefined: several runs are compared. */
  over: string | undefined;
};

/** Maximum number of episodes compared side by side; more could not be followed at once. */
export const maxColumns = 4;

/** Returns the seeds of the tasks of which these runs recorded episodes; tasks of the most runs come first. */
export function listTasks(runs: readonly SampledRun[]): number[] {
  const counts = new Map<number, number>();
  for (const { episodes } of runs) {
    for (const seed of new Set(episodes.map((one) => one.seed))) counts.set(seed, (counts.get(seed) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, m], [b, n]) => n - m || a - b).map(([seed]) => seed);
}

export function listIterations(runs: readonly SampledRun[], task: number): number[] {
  const all = runs.flatMap(({ episodes }) => episodes.filter(({ seed }) => seed === task));
  return [...new Set(all.map(({ iteration }) => iteration))].sort((a, b) => a - b);
}

/** Returns the episodes to compare: of several runs at one iteration, or of one run at evenly spaced ones. */
export function chooseColumns(runs: readonly SampledRun[], { task, iteration, over }: ColumnChoice): EpisodeColumn[] {
  const seed = task ?? listTasks(runs)[0];
  const ofTask = runs.map((run) => ({ ...run, episodes: run.episodes.filter((one) => one.seed === seed) }));
  const one = ofTask.find(({ runId }) => runId === over);
  if (one) {
    const last = one.episodes.length - 1;
    const count = Math.min(maxColumns, one.episodes.length);
    const places = Array.from({ length: count }, (_, i) => (count === 1 ? 0 : Math.round((i * last) / (count - 1))));
    return places.flatMap((place) => {
      const head = one.episodes[place];
      return head ? [{ runId: one.runId, name: `iteration ${head.iteration}`, head }] : [];
    });
  }
  return ofTask.slice(0, maxColumns).flatMap(({ runId, name, episodes }) => {
    const head =
      iteration === undefined ? episodes.at(-1) : episodes.find((episode) => episode.iteration === iteration);
    return head ? [{ runId, name, head }] : [];
  });
}
