import { groupBy } from "#packages/base";
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

/** Place of an evaluation episode, by which its stored transcript is found. */
export type Transcript = { runId: string; method: string; seed: number; iteration: number; task: number };
/** `sample`: number of the episode among those of its task. `isStored`: true if the run stored its transcript. */
export type Episode = ReadTrace & Transcript & { sample: number; trace: string; isStored: boolean };

export type EpisodeGroup = { title: string; episodes: readonly Episode[] };
type Options = { by: Division; environment?: string | undefined; only?: Outcome | undefined };
type Given = Facts & Pick<Parts, "traces" | "configurations">;

export type Grouped = ReturnType<typeof groupEpisodes>;

/** Chooses the episodes in one environment, and divides them into groups. Empty groups are left out. */
export function groupEpisodes(facts: Given, { by, environment: chosen, only }: Options) {
  const numIn = (rows: Given["traces"]) => rows.flatMap(({ tasks }) => tasks.flatMap(([, ...played]) => played)).length;
  // The environment with the most episodes comes first.
  const environments = [...groupBy(facts.traces, (row) => row.environment)]
    .toSorted(([, a], [, b]) => numIn(b) - numIn(a))
    .map(([name]) => name);
  const environment = chosen ?? environments[0] ?? "";
  const rows = facts.traces.filter((row) => row.environment === environment);
  const rowsOf = groupBy(rows, ({ runId }) => runId);
  const titled = groupBy(listEpisodes(facts, rows), (episode) => titleGroup(by, episode, rowsOf.get(episode.runId)));
  const isCounted = ({ ending }: Episode) => only === undefined || (ending === "success") === (only === "success");
  const groups = [...titled].flatMap(([title, episodes]) => {
    const counted = episodes.filter(isCounted);
    return title === undefined || counted.length === 0 ? [] : [{ title, episodes: counted }];
  });
  return { environment, environments, groups: groups.toSorted((a, b) => placeOf(a) - placeOf(b)) };
}

/** References of the divisions with fixed groups, which come first. */
const references = ["Success", "Before training"];
const placeOf = ({ title }: EpisodeGroup): number => (references.includes(title) ? 0 : 1);

/** Title of an episode's group, given the evaluations of its run; undefined if it is in none. */
function titleGroup(by: Division, { iteration, ending, method }: Episode, evaluations: Given["traces"] = []) {
  const iterations = evaluations.map((one) => one.iteration);
  const isTrained = iteration > 0 && iteration === Math.max(...iterations);
  if (by === "training" && iteration === Math.min(...iterations)) return isTrained ? undefined : "Before training";
  if (!isTrained) return undefined;
  if (by === "training") return "After training";
  if (by === "configuration") return method;
  return ending === "success" ? "Success" : "Failure";
}

function listEpisodes({ runs, configurations }: Given, rows: Given["traces"]): Episode[] {
  const titleOf = titleSettings(runs);
  const runOf = new Map(runs.map((one) => [one.run.id, one]));
  return rows.flatMap(({ runId, iteration, tasks }) => {
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

/** Returns up to three stored transcripts of the episodes for which `has` holds. */
export function findTranscripts(episodes: readonly Episode[], has: (episode: Episode) => boolean): Transcript[] {
  return episodes
    .filter((episode) => episode.isStored && has(episode))
    .slice(0, 3)
    .map(({ runId, method, seed, iteration, task }) => ({ runId, method, seed, iteration, task }));
}
