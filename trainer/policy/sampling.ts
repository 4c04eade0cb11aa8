import type { Rng } from "#trainer/spec/rng.ts";
import type { Choice } from "./chooseToken.ts";
import type { PolicyConfig } from "./config.ts";
import type { Weights } from "./parameters.ts";

export type SamplerLimits = {
  /** Maximum rows decoded together; more prompts are processed in turns. */
  readonly batch: number;
  readonly maxPromptTokens: number;
  readonly maxResponseTokens: number;
  /** Maximum bytes of keys and values cached between two requests; absent: none. */
  readonly keptBytes?: number;
};

/** A sampler's cache of a conversation from turn to turn, valid while the parameters are unchanged. Empty at first. */
export type Memory = {
  kept?: {
    /** Tokens of prompts and responses, except the newest one. */
    readonly tokens: Int32Array;
    /** Keys and values by layer, (KV, tokens, headWidth). */
    readonly arrays: Readonly<Record<string, Float32Array>>;
  };
};

/** Modifies the logits of one token before it is chosen. */
export type LogitNoise = (logits: Float32Array) => Float32Array;

export type Response = {
  /** Tokens of the response, ending with a stop token unless it was cut. */
  readonly tokens: Int32Array;
  /** Log-probability of each token, at the sampling temperature and before truncation by top-k and top-p. */
  readonly logProbs: Float32Array;
  /** Entropy of each token's distribution, in nats, at the same temperature and before truncation. */
  readonly entropies: Float32Array;
  readonly isCut: boolean;
};

export type SampleRequest = Partial<Choice> & {
  readonly parameters: Weights;
  readonly prompts: readonly Int32Array[];
  /** One stream per prompt, one number per token: a response does not depend on the rest of the batch. */
  readonly rngs: readonly Rng[];
  /** A response ends with the first of these tokens. */
  readonly stopTokens: readonly number[];
  /** Noise on the logits of each prompt's response; absent: none. */
  readonly noises?: readonly LogitNoise[];
  /** Cache of the conversation that each prompt continues. Cached tokens are not read again. */
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

/** Small limits keep a run's memory small and its activations in the CPU cache. */
const [prefillRows, prefillPositions] = [16, 8192];

/** Number of prompts read together. */
export function prefillCount(numPrompts: number, promptTokens: number, batch: number): number {
  const fitting = 2 ** Math.floor(Math.log2(prefillPositions / promptTokens));
  return Math.max(1, Math.min(rowBucket(numPrompts, batch), prefillRows, fitting));
}

/** Batch size, rounded up to a power of two: finished rows cost little, and few graphs are compiled. */
export function rowBucket(numRows: number, batch: number): number {
  return Math.min(2 ** Math.ceil(Math.log2(numRows)), batch);
}

/** Prompt length, rounded up to 32 tokens, or to a quarter for longer prompts such as growing transcripts. */
export function promptBucket(prompts: readonly Int32Array[], limit: number): number {
  const longest = prompts.reduce((most, { length }) => Math.max(most, length), 0);
  if (longest > limit) throw new RangeError(`a prompt has ${longest} tokens, limit is ${limit}`);
  const step = Math.max(32, 2 ** (Math.floor(Math.log2(longest)) - 2));
  return Math.min(step * Math.ceil(longest / step), limit);
}
