import type { Episode, TaskFamily } from "#trainer/environments/episode.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Actor, Completion, Sampling } from "./actor.ts";
import type { TokenRow } from "./batch.ts";

/** One turn as the trainer keeps it: its tokens, what they did, and what came of it. */
export type TurnRecord = TokenRow & {
  turn: number;
  anchor: string;
  reward: number;
  isFormatValid: boolean;
  isActionValid: boolean;
  /** The response reached its length limit without an end token. */
  isCut: boolean;
  /** What was executed. */
  action: string;
  /** Of every response token, as the sampler had it: at the sampling temperature, before truncation. */
  samplerLogProbs: Float32Array;
};

export type EpisodeRecord = { turns: TurnRecord[]; episodeReward: number; isSuccess: boolean };

/** All episodes of one task; `rewards` are their undiscounted sums. */
export type GroupRecord = { seed: number; episodes: EpisodeRecord[]; rewards: number[]; successes: boolean[] };

export type RolloutPlan = {
  /** One task per group. */
  seeds: readonly number[];
  groupSize: number;
  historyLength: number;
  sampling: Sampling;
  /** The stream of one response, by group, episode and turn. */
  rngOf(group: number, episode: number, turn: number): Rng;
};

type Life = { group: number; index: number; episode: Episode; record: EpisodeRecord };

/** Plays every episode to its end, all of them in step, one batch of responses per turn. */
export async function rollOut(actor: Actor, family: TaskFamily, plan: RolloutPlan): Promise<GroupRecord[]> {
  const lives = plan.seeds.flatMap((seed, group) => {
    const episode = family.start(seed);
    return Array.from({ length: plan.groupSize }, (_, index): Life => ({
      group,
      index,
      episode,
      record: emptyRecord(),
    }));
  });
  for (let turn = 0; ; turn++) {
    const active = lives.filter((life) => life.episode.ending === "ongoing");
    if (active.length === 0) break;
    const prompts = active.map((life) => actor.encode(life.episode.prompt(plan.historyLength)));
    const rngs = active.map((life) => plan.rngOf(life.group, life.index, turn));
    const completions = await actor.complete(prompts, plan.sampling, rngs);
    for (const [i, life] of active.entries()) {
      const [prompt, completion] = [prompts[i], completions[i]];
      if (!prompt || !completion) throw new Error(`rollout: no response for episode ${i} of ${active.length}`);
      respond(life, prompt, actor.decode(completion.tokens), completion);
    }
  }
  return plan.seeds.map((seed, group) => {
    const episodes = lives.filter((life) => life.group === group).map((life) => life.record);
    const rewards = episodes.map((episode) => episode.episodeReward);
    return { seed, episodes, rewards, successes: episodes.map((episode) => episode.isSuccess) };
  });
}

function respond(life: Life, prompt: Int32Array, text: string, completion: Completion): void {
  const { anchor, turn } = life.episode;
  const { episode, reward, action, isFormatValid, isActionValid } = life.episode.respond(text);
  const { tokens, isCut, logProbs: samplerLogProbs } = completion;
  const outcome = { action, reward, isFormatValid, isActionValid, isCut };
  life.record.turns.push({ prompt, response: tokens, turn, anchor, ...outcome, samplerLogProbs });
  life.record.episodeReward += reward;
  life.record.isSuccess = episode.isSuccess;
  life.episode = episode;
}

function emptyRecord(): EpisodeRecord {
  return { turns: [], episodeReward: 0, isSuccess: false };
}
