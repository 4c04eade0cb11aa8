import type { Rng } from "#trainer/spec/rng.ts";
import type { Choice } from "./chooseToken.ts";
import type { PolicyConfig } from "./config.ts";
import type { Weights } from "./parameters.ts";

export type SamplerLimits = {
  /** Rows decoded together; more prompts are taken in turns. */
  readonly batch: number;
  readonly maxPromptTokens: number;
  readonly maxResponseTokens: number;
  /** Keys and values that may be remembered between two requests; none without it. */
  readonly keptBytes?: number;
};

/** What a sampler remembers of a conversation from turn to turn, while the parameters stay as they are. Empty at first. */
export type Memory = {
  kept?: {
    /** What it has read and written, but for the newest token. */
    readonly tokens: Int32Array;
    /** By layer, (KV, tokens, headWidth). */
    readonly arrays: Readonly<Record<string, Float32Array>>;
  };
};

/** Changes the logits of one token before it is chosen. */
export type LogitNoise = (logits: Float32Array) => Float32Array;

export type Response = {
  /** Ends with a stop token unless it was cut. */
  readonly tokens: Int32Array;
  /** Of each token, at the sampling temperature and before truncation by top-k and top-p. */
  readonly logProbs: Float32Array;
  /** Of the distribution each token was drawn from, in nats; as the log-probabilities. */
  readonly entropies: Float32Array;
  readonly isCut: boolean;
};

export type SampleRequest = Partial<Choice> & {
  readonly parameters: Weights;
  readonly prompts: readonly Int32Array[];
  /** One stream per prompt, one draw per token: a response does not depend on what else is in the batch. */
  readonly rngs: readonly Rng[];
  /** A response ends with the first of these. */
  readonly stopTokens: readonly number[];
  /** What the logits of each prompt's response are read through; exactly as they are where it is absent. */
  readonly noises?: readonly LogitNoise[];
  /** Of the conversation that each prompt is all of: what is remembered is not read again. */
  readonly memories?: readonly Memory[];
};

export type Sampler = {
  readonly sample: (request: SampleRequest) => Promise<Response[]>;
  readonly close: () => Promise<void>;
};

export function requireRoom(config: PolicyConfig, { maxPromptTokens, maxResponseTokens }: SamplerLimits): void {
  if (maxPromptTokens + maxResponseTokens <= config.contextTokens) return;
  throw new RangeError(
    `prompts of ${maxPromptTokens} and responses of ${maxResponseTokens} tokens exceed the context of ${config.contextTokens}`,
  );
}

/** Few enough that a run's memory stays small and its activations near the core. */
const [prefillRows, prefillPositions] = [16, 8192];

/** Prompts read together. */
export function prefillCount(numPrompts: number, promptTokens: number, batch: number): number {
  const fitting = 2 ** Math.floor(Math.log2(prefillPositions / promptTokens));
  return Math.max(1, Math.min(rowBucket(numPrompts, batch), prefillRows, fitting));
}

/** Powers of two up to the batch: rows that stopped cost little, and few graphs are compiled. */
export function rowBucket(numRows: number, batch: number): number {
  return Math.min(2 ** Math.ceil(Math.log2(numRows)), batch);
}

/** Steps of 32 tokens, of a quarter for longer prompts, as those of a growing transcript. */
export function promptBucket(prompts: readonly Int32Array[], limit: number): number {
  const longest = prompts.reduce((most, { length }) => Math.max(most, length), 0);
  if (longest > limit) throw new RangeError(`a prompt has ${longest} tokens, limit is ${limit}`);
  const step = Math.max(32, 2 ** (Math.floor(Math.log2(longest)) - 2));
  return Math.min(step * Math.ceil(longest / step), limit);
}
