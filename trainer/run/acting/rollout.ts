import { familyOf, type Episode, type Part, type TaskFamily } from "#trainer/environments/episode.ts";
import type { LogitNoise, Memory } from "#trainer/policy/decode.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { Actor, Completion, NoisySampling, Sampling } from "./actor.ts";
import type { Writer } from "./behaviour.ts";
import { maxRejected } from "#trainer/spec/sampler.ts";
import type { RolloutShape } from "#trainer/spec/run.ts";
import { isRepeat } from "#trainer/spec/trace.ts";
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
  /** True if loop-aware control rejected the response: the state stayed as it was, and another one was sampled. */
  isRejected?: true;
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
  rngOf(group: number, episode: number, ...at: ResponsePath): Rng;
  /** Returns the sampling policy of an episode; default: the actor. */
  writerOf?(group: number, episode: number): Writer;
  noiseOf?(group: number, episode: number, ...at: ResponsePath): LogitNoise | undefined;
  /** True: loop-aware control samples again while a response repeats an action in the same state. */
  rejectsRepeats?: boolean;
};

/** Path of a response within its episode: its turn and, after rejected responses of that turn, their number. */
export type ResponsePath = readonly (number | string)[];

/** Turns that changed the environment's state: all without those that loop-aware control rejected. */
export function executedTurns({ turns }: Pick<EpisodeRecord, "turns">): TurnRecord[] {
  return turns.filter(({ isRejected }) => !isRejected);
}

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

/**
 * Plays all episodes turn by turn: a turn samples the responses of all unfinished ones as one batch. Loop-aware control
 * adds batches for the episodes whose responses it rejects.
 */
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
    let waiting = active.map((life): Waiting => {
      const fresh = read(life.episode);
      return { life, fresh, prompt: concatenate([life.transcript, fresh]) };
    });
    // Episode states are immutable, so episodes with the same state and response share the next state.
    const answersOf = once((episode: Episode) => once((text: string) => episode.respond(text)));
    for (let numRejected = 0; waiting.length > 0; numRejected++) {
      const at = numRejected === 0 ? [turn] : [turn, "again", numRejected];
      const asked = waiting.map((one) => ask(one, plan, at));
      environmentMs += performance.now() - since;
      const completions = await completeAll(asked, plan.sampling);
      since = performance.now();
      const isFinal = !plan.rejectsRepeats || numRejected === maxRejected;
      waiting = waiting.filter(({ life, fresh, prompt }, i) => {
        const completion = completions[i];
        if (!completion) throw new Error(`rollout: no response for episode ${i} of ${waiting.length}`);
        const text = life.family.fromWords(actor.decode(completion.tokens));
        const answer = answersOf(life.episode)(text);
        const { anchor } = life.episode;
        const isRejected = !isFinal && isRepeat(life.record.turns, { anchor, action: answer.action });
        respond(life, { prompt: fresh, completion, answer, isRejected });
        if (isRejected) return true;
        if (plan.shape === "transcript") life.transcript = concatenate([prompt, completion.tokens]);
        if (life.episode.ending !== "ongoing") delete life.memory?.kept;
        return false;
      });
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

/** Episode that waits for its response; `fresh` are the tokens that this turn adds to the prompt. */
type Waiting = { life: Life; fresh: Int32Array; prompt: Int32Array };

function ask({ life, prompt }: Waiting, plan: RolloutPlan, at: ResponsePath): Asked {
  const { writer, group, index, memory } = life;
  const noise = plan.noiseOf?.(group, index, ...at);
  return {
    writer,
    prompt,
    rng: plan.rngOf(group, index, ...at),
    ...(noise && { noise }),
    ...(memory && { memory }),
  };
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

type Answered = {
  prompt: Int32Array;
  completion: Completion;
  answer: ReturnType<Episode["respond"]>;
  isRejected: boolean;
};

/** Records a response and, unless it is rejected, executes it. A rejected response earns nothing. */
function respond(life: Life, { prompt, completion, answer, isRejected }: Answered): void {
  const { anchor, turn } = life.episode;
  const { episode, action, isFormatValid, isActionValid } = answer;
  const { tokens, isCut, logProbs: samplerLogProbs, entropies: samplerEntropies } = completion;
  const reward = isRejected ? 0 : answer.reward;
  const outcome = { action, reward, isFormatValid, isActionValid, isCut, ...(isRejected && { isRejected }) };
  life.record.turns.push({ prompt, response: tokens, turn, anchor, ...outcome, samplerLogProbs, samplerEntropies });
  if (isRejected) return;
  life.record.episodeReward += reward;
  life.record.isSuccess = episode.isSuccess;
  life.record.score = episode.score;
  life.record.isAtLimit = episode.ending === "truncated";
  life.episode = episode;
}
