import { familyOf, makeTaskFamily } from "#trainer/environments/episode.ts";
import { openPrograms, programLimits } from "#trainer/programs/openPrograms.ts";
import { runsPython } from "#trainer/programs/packageArgs.ts";
import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { packagesOf } from "#trainer/spec/environmentParts.ts";
import type { PlayedTurn } from "./play.ts";

export type LiveEpisode = Awaited<ReturnType<typeof beginEpisode>>;

/**
 * Starts an episode that stays in memory and continues turn by turn; turns can be undone. Programs in actions run in
 * another process, within limits, until the episode is closed.
 */
export async function beginEpisode(environment: EnvironmentSpec, seed: number, packagesFolder: string) {
  const packages = { names: packagesOf(environment), folder: packagesFolder };
  const programs = runsPython(environment) ? await openPrograms(programLimits, packages) : undefined;
  const family = familyOf(await makeTaskFamily(environment, programs), seed);
  const first = family.start(seed);
  const optimalLength = first.optimalLength();
  const past: { episode: typeof first; turn: PlayedTurn & { admissible: readonly string[] } }[] = [];
  let episode = first;
  const respond = (response: string): void => {
    const { episode: next, ...outcome } = episode.respond(response);
    const { observation } = episode;
    past.push({ episode, turn: { observation, admissible: episode.admissibleActions(), response, ...outcome } });
    episode = next;
  };
  return {
    close: async () => await programs?.close(),
    respond,
    /** Performs a turn with this action, which is wrapped into a valid response without a thought. */
    act: (action: string) => respond(family.formatResponse({ thought: "", action })),
    undo: () => (episode = past.pop()?.episode ?? episode),
    isOngoing: () => episode.ending === "ongoing",
    observation: () => episode.observation,
    admissible: () => episode.admissibleActions(),
    expertResponse: () => episode.expertResponse(),
    summary: () => ({
      task: first.task(),
      taskType: first.taskType,
      /** Number of turns in a shortest solution from the episode's start. */
      optimalLength,
      maxTurns: family.maxTurns,
      turns: past.map(({ turn }) => turn),
      observation: episode.observation,
      ending: episode.ending,
      isSuccess: episode.isSuccess,
      score: family.hasScore ? episode.score : undefined,
      reward: past.reduce((sum, { turn }) => sum + turn.reward, 0),
    }),
  };
}
