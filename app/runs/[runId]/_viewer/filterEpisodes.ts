import type { SampleHead } from "#server/api/runs/samples.ts";

export type EpisodeFilter = {
  /** Undefined: all iterations; the same holds for the fields below. */
  iteration: number | undefined;
  outcome: "all" | "solved" | "failed";
  /** Only episodes with a turn whose format or action was invalid. */
  isInvalidOnly: boolean;
  taskType: string | undefined;
};

export const noFilter: EpisodeFilter = {
  iteration: undefined,
  outcome: "all",
  isInvalidOnly: false,
  taskType: undefined,
};

/** Filters episodes, newest iteration first; within one, in the order written. */
export function filterEpisodes(episodes: readonly SampleHead[], filter: EpisodeFilter): SampleHead[] {
  return episodes.filter((episode) => isIn(episode, filter)).toSorted((a, b) => b.iteration - a.iteration);
}

function isIn(
  { iteration, isSuccess, numInvalid, taskType }: SampleHead,
  { isInvalidOnly, outcome, ...wanted }: EpisodeFilter,
): boolean {
  return (
    (wanted.iteration === undefined || iteration === wanted.iteration) &&
    (wanted.taskType === undefined || taskType === wanted.taskType) &&
    (outcome === "all" || isSuccess === (outcome === "solved")) &&
    (!isInvalidOnly || numInvalid > 0)
  );
}

/** Options of the filters: iterations newest first, task types by name. */
export function choicesOf(episodes: readonly SampleHead[]): { iterations: number[]; taskTypes: string[] } {
  return {
    iterations: [...new Set(episodes.map(({ iteration }) => iteration))].toSorted((a, b) => b - a),
    taskTypes: [...new Set(episodes.flatMap(({ taskType }) => taskType ?? []))].toSorted(),
  };
}
