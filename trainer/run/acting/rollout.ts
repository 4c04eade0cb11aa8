import { familyOf, type Episode, type Part, type TaskFamily } from "#trainer/environments/episode.ts";
import type { LogitNoise, Memory } from "#trainer/policy/decode.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Actor, Completion, NoisySampling, Sampling } from "./actor.ts";
import type { Writer } from "./behaviour.ts";
import type { RolloutShape } from "#trainer/spec/run.ts";
import type { TokenRow } from "#trainer/run/learning/batch.ts";
import { concatenate } from "#trainer/run/learning/sequences.ts";

/** One turn as training data. In a transcript, `prompt` has only the new tokens: the previous turn's feedback. */
export type TurnRecord = Pick<TokenRow, "prompt" | "response"> & {
  turn: number;
  anchor: string;
  reward: number;
  isFormatValid: boolean;
  isActionValid: boolean;
  /** True if the response reached its length limit without an end token. */
  isCut: boolean;
  action: string;
  /** Log-probabilities under the sampler, at its temperature, before truncation by top-p or top-k. */
  samplerLogProbs: Float32Array;
  /** Entropy of the sampler's distribution at every response token, in nats. */
  samplerEntropies: Float32Array;
};

export type EpisodeRecord = {
  turns: TurnRecord[];
  episodeReward: number;
  isSuccess: boolean;
  /** Environment's own score at the end of the episode, in [0, 1]. */
  score: number;
  /** Type of the task; undefined if the environment has only one. */
  taskType: string | undefined;
  /** Number of completed iterations of the policy that sampled the episode; absent if it is the current policy. */
  version?: number;
  /** True if the limit of turns ended the episode, not the environment. */
  isAtLimit?: boolean;
};

/** Episodes that attempt one task. `rewards` contains the undiscounted return of every episode. */
export type GroupRecord = {
  seed: number;
  episodes: EpisodeRecord[];
  rewards: number[];
  successes: boolean[];
  /** Component environment of a mixture, or phase of a curriculum, that contains the task. */
  part?: Part;
  /** Greedy episode of the same task, if its score is the baseline; the update does not train on it. */
  greedy?: EpisodeRecord;
};

export type RolloutPlan = {
  seeds: readonly number[];
  groupSize: number;
  shape: RolloutShape;
  historyLength: number;
  sampling: Sampling;
  rngOf(group: number, episode: number, turn: number): Rng;
  /** Returns the sampling policy of an episode; default: the actor. */
  writerOf?(group: number, episode: number): Writer;
  noiseOf?(group: number, episode: number, turn: number): LogitNoise | undefined;
};

type Life = {
  group: number;
  index: number;
  family: TaskFamily;
  episode: Episode;
  record: EpisodeRecord;
  writer: Pick<Actor, "complete">;
  /** All tokens of the episode before this turn; empty if prompts are windowed. */
  transcript: Int32Array;
  /** Sampling policy's key–value cache of the transcript. */
  memory?: Memory;
};

export type Rollouts = {
  groups: GroupRecord[];
  /** Wall time in ms spent in the environment: creating tasks, rendering prompts and executing actions. */
  environmentMs: number;
};

/** Plays all episodes turn by turn: a turn samples the responses of all unfinished ones as one batch. */
export async function rollOut(actor: Actor, family: TaskFamily, plan: RolloutPlan): Promise<Rollouts> {
  let environmentMs = 0;
  let since = performance.now();
  const lives = begin(actor, family, plan);
  for (let turn = 0; ; turn++) {
    const active = lives.filter((life) => life.episode.ending === "ongoing");
    if (active.length === 0) break;
    const read = once((episode: Episode) =>
      actor.encode(plan.shape === "windowed" ? episode.prompt(plan.historyLength) : episode.continuation()),
    );
    const fresh = active.map(({ episode }) => read(episode));
    const prompts = active.map(({ transcript }, i) => concatenate([transcript, fresh[i] ?? transcript]));
    const responses = active.map(({ writer, group, index, memory }, i): Asked => {
      const noise = plan.noiseOf?.(group, index, turn);
      return {
        writer,
        prompt: prompts[i] ?? none,
        rng: plan.rngOf(group, index, turn),
        ...(noise && { noise }),
        ...(memory && { memory }),
      };
    });
    environmentMs += performance.now() - since;
    const completions = await completeAll(responses, plan.sampling);
    since = performance.now();
    // Episode states are immutable, so episodes with the same state and response share the next state.
    const answersOf = once((episode: Episode) => once((text: string) => episode.respond(text)));
    for (const [i, life] of active.entries()) {
      const [prompt, tokens, completion] = [prompts[i], fresh[i], completions[i]];
      if (!prompt || !tokens || !completion)
        throw new Error(`rollout: no response for episode ${i} of ${active.length}`);
      const text = life.family.fromWords(actor.decode(completion.tokens));
      respond(life, { prompt: tokens, completion, answer: answersOf(life.episode)(text) });
      if (plan.shape === "transcript") life.transcript = concatenate([prompt, completion.tokens]);
      if (life.episode.ending !== "ongoing") delete life.memory?.kept;
    }
  }
  environmentMs += performance.now() - since;
  const groups = plan.seeds.map((seed, group) => {
    const episodes = lives.filter((life) => life.group === group).map((life) => life.record);
    const rewards = episodes.map((episode) => episode.episodeReward);
    const part = family.partOf?.(seed);
    const successes = episodes.map((episode) => episode.isSuccess);
    return { seed, episodes, rewards, successes, ...(part && { part }) };
  });
  return { groups, environmentMs };
}

function begin(actor: Actor, family: TaskFamily, plan: RolloutPlan): Life[] {
  return plan.seeds.flatMap((seed, group) => {
    const own = familyOf(family, seed);
    const episode = own.start(seed);
    return Array.from({ length: plan.groupSize }, (_, index): Life => {
      const [{ score, taskType }, writer] = [episode, plan.writerOf?.(group, index)];
      return {
        group,
        index,
        family: own,
        episode,
        record: {
          turns: [],
          episodeReward: 0,
          isSuccess: false,
          score,
          taskType,
          ...(writer && { version: writer.version }),
        },
        writer: writer ?? actor,
        transcript: new Int32Array(0),
        ...(plan.shape === "transcript" && { memory: {} }),
      };
    });
  });
}

/** Request for one sampled response, with the policy that samples it. */
type Asked = { writer: Pick<Actor, "complete">; prompt: Int32Array; rng: Rng; noise?: LogitNoise; memory?: Memory };

const none = new Int32Array(0);

/** Samples responses in the order of the requests. Requests to the same policy form one batch. */
async function completeAll(asked: readonly Asked[], sampling: Sampling): Promise<Completion[]> {
  const completions: Completion[] = [];
  for (const writer of new Set(asked.map((each) => each.writer))) {
    const indices = [...asked.keys()].filter((i) => asked[i]?.writer === writer);
    const own = indices.flatMap((i) => asked[i] ?? []);
    const noises = own.flatMap(({ noise }) => noise ?? []);
    const memories = own.flatMap(({ memory }) => memory ?? []);
    const request: NoisySampling = {
      ...sampling,
      ...(noises.length > 0 && { noises }),
      ...(memories.length > 0 && { memories }),
    };
    const written = await writer.complete(
      own.map(({ prompt }) => prompt),
      request,
      own.map(({ rng }) => rng),
    );
    for (const [k, i] of indices.entries()) if (written[k]) completions[i] = written[k];
  }
  return completions;
}

function once<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

type Answered = { prompt: Int32Array; completion: Completion; answer: ReturnType<Episode["respond"]> };

function respond(life: Life, { prompt, completion, answer }: Answered): void {
  const { anchor, turn } = life.episode;
  const { episode, reward, action, isFormatValid, isActionValid } = answer;
  const { tokens, isCut, logProbs: samplerLogProbs, entropies: samplerEntropies } = completion;
  const outcome = { action, reward, isFormatValid, isActionValid, isCut };
  life.record.turns.push({ prompt, response: tokens, turn, anchor, ...outcome, samplerLogProbs, samplerEntropies });
  life.record.episodeReward += reward;
  life.record.isSuccess = episode.isSuccess;
  life.record.score = episode.score;
  life.record.isAtLimit = episode.ending === "truncated";
  life.episode = episode;
}
