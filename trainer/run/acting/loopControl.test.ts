import { expect, test } from "vitest";
import { type Episode, makeTaskFamily } from "#trainer/environments/episode.ts";
import { split } from "#trainer/spec/rng.ts";
import type { Actor } from "./actor.ts";
import { executedTurns, rollOut, type EpisodeRecord, type RolloutPlan } from "./rollout.ts";
import { describeEpisodes, describeRejected } from "./summary.ts";

const family = await makeTaskFamily({
  id: "sokoban",
  size: 6,
  numBoxes: 1,
  searchDepth: 30,
  maxTurns: 4,
  reward: "native",
});
const actions = ["up", "down"] as const;

/** Makes an actor that moves up with probability `up` in every state, and down otherwise. */
function coin(up: number): Actor {
  const textOf = (token = 0): string => `<think>push</think><action>${actions[token]}</action>`;
  const logProbs = [Math.log(up), Math.log(1 - up)];
  return {
    shape: "windowed",
    maxRowTokens: 1,
    encode: () => Int32Array.of(0),
    decode: ([token]) => textOf(token),
    transcribe: ([token]) => textOf(token),
    isProse: false,
    words: () => [""],
    complete: async (prompts, _, rngs) =>
      prompts.map((_prompt, i) => {
        const token = (rngs[i]?.next() ?? 0) < up ? 0 : 1;
        return {
          tokens: Int32Array.of(token),
          logProbs: Float32Array.of(logProbs[token] ?? NaN),
          entropies: Float32Array.of(0),
          isCut: false,
        };
      }),
    close: async () => {},
  };
}

const plan: RolloutPlan = {
  seeds: [1],
  groupSize: 1,
  shape: "windowed",
  historyLength: 0,
  sampling: { temperature: 1, topP: 1, topK: 0 },
  rngOf: (...path) => split(0, ...path),
};

async function play(up: number, changes: Partial<RolloutPlan>): Promise<EpisodeRecord[]> {
  const { groups } = await rollOut(coin(up), family, { ...plan, ...changes });
  return groups.flatMap(({ episodes }) => episodes);
}

test("a repeated action is sampled again three times, then executed; no rejected response changes the state", async () => {
  const controlled = await play(1, { rejectsRepeats: true });
  const [free] = await play(1, {});
  const [{ turns, episodeReward } = { turns: [], episodeReward: NaN }] = controlled;
  // Always up: after the first bump into the wall every further turn is a repeat.
  const executed = executedTurns({ turns });
  expect(executed.map(({ action, anchor, reward }) => [action, anchor, reward])).toEqual(
    free?.turns.map(({ action, anchor, reward }) => [action, anchor, reward]),
  );
  expect(episodeReward).toBe(free?.episodeReward);
  const rejected = turns.filter(({ isRejected }) => isRejected);
  expect(rejected.length).toBeGreaterThan(0);
  expect(rejected.length % 3).toBe(0);
  expect(new Set(rejected.map(({ reward }) => reward))).toEqual(new Set([0]));
  expect(describeRejected(controlled, true)).toEqual({ rejectedFraction: rejected.length / turns.length });
  expect(describeEpisodes(controlled)).toEqual(describeEpisodes(free ? [free] : []));
});

test("without control nothing is rejected, and the first response of every turn is the same as with it", async () => {
  const [free, controlled] = [
    await play(0.5, { groupSize: 50 }),
    await play(0.5, { groupSize: 50, rejectsRepeats: true }),
  ];
  expect(free.flatMap(({ turns }) => turns.filter(({ isRejected }) => isRejected))).toEqual([]);
  expect(describeRejected(free, false)).toEqual({});
  const firsts = (episodes: readonly EpisodeRecord[]) => episodes.map(({ turns: [first] }) => first?.action);
  expect(firsts(controlled)).toEqual(firsts(free));
  const repeats = controlled.filter(({ turns }) => turns.some(({ isRejected }) => isRejected));
  expect(repeats.length).toBeGreaterThan(0);
});

/** Return of an episode from its executed actions: moving up is worth something else in every turn. */
const worth = [1, -2, 3, 2];
const returnOf = (taken: readonly string[]): number =>
  taken.reduce((sum, action, turn) => sum + (action === "up" ? (worth[turn] ?? 0) : 0), 0);

/** Expected return under control, by enumeration: the oracle of the policy gradient. */
function expectedReturn(
  up: number,
  episode: Episode,
  past: readonly { anchor: string; action: string }[] = [],
): number {
  if (episode.ending !== "ongoing") return returnOf(past.map(({ action }) => action));
  const { anchor } = episode;
  const known = new Set(past.filter((turn) => turn.anchor === anchor).map(({ action }) => action));
  const chance = { up, down: 1 - up };
  const rejected = actions.reduce((sum, action) => sum + (known.has(action) ? chance[action] : 0), 0);
  return actions.reduce((sum, action) => {
    const tries = known.has(action) ? rejected ** 3 : 1 + rejected + rejected ** 2 + rejected ** 3;
    const next = episode.respond(`<think>push</think><action>${action}</action>`).episode;
    return sum + chance[action] * tries * expectedReturn(up, next, [...past, { anchor, action }]);
  }, 0);
}

/** Policy-gradient estimate of every episode: (return − baseline) · Σ ∇ log π over the given responses. */
function estimates(episodes: readonly EpisodeRecord[], up: number, baseline: number, responses: typeof executedTurns) {
  return episodes.map((episode) => {
    const lead = returnOf(executedTurns(episode).map(({ action }) => action)) - baseline;
    return lead * responses(episode).reduce((sum, { action }) => sum + (action === "up" ? 1 - up : -up), 0);
  });
}

function meanWithError(values: readonly number[]) {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (values.length - 1);
  return { mean, error: Math.sqrt(variance / values.length) };
}

test("the policy gradient over all responses, rejected ones too, is that of the expected return under control", async () => {
  const [logit, h] = [0.4, 1e-4];
  const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
  const valueAt = (x: number): number => expectedReturn(sigmoid(x), family.start(1));
  const exact = (valueAt(logit + h) - valueAt(logit - h)) / (2 * h);
  const up = sigmoid(logit);
  const episodes = await play(up, { groupSize: 6000, rejectsRepeats: true });
  const measured = meanWithError(episodes.map((one) => returnOf(executedTurns(one).map(({ action }) => action))));
  expect(Math.abs(measured.mean - valueAt(logit))).toBeLessThan(4 * measured.error);
  const all = meanWithError(estimates(episodes, up, valueAt(logit), ({ turns }) => [...turns]));
  expect(Math.abs(all.mean - exact)).toBeLessThan(4 * all.error);
  // Without the rejected responses the estimate is wrong, as if they had not been sampled from the policy.
  const executed = meanWithError(estimates(episodes, up, valueAt(logit), executedTurns));
  expect(Math.abs(executed.mean - exact)).toBeGreaterThan(10 * executed.error);
});
