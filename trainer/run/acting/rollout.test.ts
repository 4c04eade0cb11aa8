import { expect, test } from "vitest";
import { type Episode, makeTaskFamily } from "#trainer/environments/episode.ts";
import { split } from "#trainer/spec/rng.ts";
import type { Actor } from "./actor.ts";
import { type EpisodeRecord, rollOut } from "./rollout.ts";
import { describeEpisodes, describeGroups } from "./summary.ts";

const family = await makeTaskFamily({
  id: "sokoban",
  size: 6,
  numBoxes: 1,
  searchDepth: 30,
  maxTurns: 4,
  reward: "native",
});
const plan = {
  seeds: [1, 2, 3],
  groupSize: 2,
  shape: "windowed" as const,
  historyLength: 0,
  sampling: { temperature: 1, topP: 1, topK: 0 },
  rngOf: (group: number, episode: number, turn: number) => split(0, group, episode, turn),
};

/** Makes an actor that responds with the same text in every turn. */
function constantActor(text: string): Actor {
  return {
    shape: "windowed",
    maxRowTokens: 16,
    encode: (prompt) => Int32Array.from(prompt.split(" "), (word) => word.length),
    decode: () => text,
    transcribe: () => text,
    isProse: false,
    words: () => [text],
    complete: async (prompts) =>
      prompts.map(() => ({
        tokens: Int32Array.of(1, 2),
        logProbs: new Float32Array(2),
        entropies: new Float32Array(2),
        isCut: false,
      })),
    close: async () => {},
  };
}

test("every episode is played to its end and a group shares its task", async () => {
  const { groups } = await rollOut(constantActor("<think>push</think><action>up</action>"), family, plan);
  expect(groups).toHaveLength(3);
  for (const { episodes } of groups) {
    const [first, second] = episodes;
    expect(first?.turns.length).toBeGreaterThan(0);
    expect(first?.turns.length).toBeLessThanOrEqual(4);
    // Task, policy and response text are equal, so both episodes are equal.
    expect(second).toEqual(first);
  }
  const { validActionRate, validFormatRate } = describeEpisodes(groups.flatMap((group) => group.episodes));
  expect([validFormatRate, validActionRate]).toEqual([1, 1]);
  expect(describeGroups(groups)).toEqual({ zeroVarianceFraction: 1, returnStd: 0 });
});

test("a response without tags is played on, counted as invalid, and costs its turns", async () => {
  const { groups } = await rollOut(constantActor("let me think about it"), family, plan);
  const episodes = groups.flatMap((group) => group.episodes);
  const { validActionRate, validFormatRate, successRate, episodeTurns } = describeEpisodes(episodes);
  expect([validFormatRate, validActionRate, successRate, episodeTurns]).toEqual([0, 0, 0, 4]);
  for (const { turns, episodeReward } of episodes) {
    expect(episodeReward).toBeCloseTo(
      turns.reduce((total, turn) => total + turn.reward, 0),
      12,
    );
  }
});

test("a transcript grows by what was written and what came back, and is read whole in every turn", async () => {
  const read: string[] = [];
  const actor: Actor = {
    ...constantActor("nonsense"),
    complete: async (prompts) =>
      prompts.map((prompt) => {
        read.push(prompt.join(" "));
        return {
          tokens: Int32Array.of(7, 8),
          logProbs: new Float32Array(2),
          entropies: new Float32Array(2),
          isCut: false,
        };
      }),
  };
  const one = { ...plan, seeds: [1], groupSize: 1, shape: "transcript" } as const;
  const { groups, environmentMs } = await rollOut(actor, family, one);
  expect(environmentMs).toBeGreaterThan(0);
  const turns = groups[0]?.episodes[0]?.turns ?? [];
  expect(turns).toHaveLength(4);
  const pieces = turns.map(({ prompt }) => prompt.join(" "));
  // Only the first prompt contains the task; later prompts contain only the observation.
  expect(pieces[1]?.length).toBeLessThan(pieces[0]?.length ?? 0);
  expect(read).toEqual(turns.map((_, turn) => pieces.slice(0, turn + 1).join(" 7 8 ")));
});

test("those of a group who say the same are answered once, and who says something else goes its own way", async () => {
  let numAnswered = 0;
  const counted = (episode: Episode): Episode => ({
    ...episode,
    respond: (text) => {
      numAnswered++;
      const answer = episode.respond(text);
      return { ...answer, episode: counted(answer.episode) };
    },
  });
  const actor = constantActor("<think>push</think><action>up</action>");
  let numSaid = 0;
  // Seven of eight responses are equal; every eighth response differs.
  const decode = () => `<think>push</think><action>${numSaid++ % 8 === 7 ? "down" : "up"}</action>`;
  const counting = { ...family, start: (seed: number) => counted(family.start(seed)) };
  const { groups } = await rollOut({ ...actor, decode }, counting, { ...plan, groupSize: 8, seeds: [1, 2] });
  for (const { seed, episodes } of groups) expect(goesAlone(seed, episodes)).toBe(true);
  const numTurns = groups.flatMap(({ episodes }) => episodes.flatMap(({ turns }) => turns)).length;
  expect(numAnswered).toBeLessThan(numTurns / 2);
});

/** True if the episodes equal those that are played one at a time. */
function goesAlone(seed: number, episodes: readonly EpisodeRecord[]): boolean {
  return episodes.every(({ turns, episodeReward }) => {
    let episode = family.start(seed);
    let total = 0;
    for (const { action } of turns) {
      const answer = episode.respond(`<think>push</think><action>${action}</action>`);
      total += answer.reward;
      ({ episode } = answer);
    }
    return episode.ending !== "ongoing" && total === episodeReward;
  });
}
