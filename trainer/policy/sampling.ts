import type { Rng } from "#trainer/spec/rng.ts";
import type { Choice } from "./chooseToken.ts";
import type { PolicyConfig } from "./config.ts";
import type { Weights } from "./parameters.ts";

export type SamplerLimits = {
  /** Maximum number of responses decoded together. Further prompts are processed afterwards. */
  readonly batch: number;
  readonly maxPromptTokens: number;
  readonly maxResponseTokens: number;
  /** Maximum number of bytes of keys and values cached between two calls; if undefined, none are cached. */
  readonly keptBytes?: number;
};

/** Key–value cache of a conversation between its turns, valid while the parameters are unchanged; empty at first. */
export type Memory = {
  kept?: {
    /** Tokens of all prompts and responses so far, except the newest token. */
    readonly tokens: Int32Array;
    /** Keys and values by layer, (KV, number of tokens, headWidth). */
    readonly arrays: Readonly<Record<string, Float32Array>>;
  };
};

/** Adds noise to the logits of one token before it is chosen. */
export type LogitNoise = (logits: Float32Array) => Float32Array;

export type Response = {
  /** Tokens of the response. The last one is a stop token unless the length limit cut the response. */
  readonly tokens: Int32Array;
  /** Log-probability of each token, at the sampling temperature and before truncation by top-k and top-p. */
  readonly logProbs: Float32Array;
  /** Entropies in nats, at the sampling temperature, before truncation by top-k and top-p. */
  readonly entropies: Float32Array;
  readonly isCut: boolean;
};

export type SampleRequest = Partial<Choice> & {
  readonly parameters: Weights;
  readonly prompts: readonly Int32Array[];
  /** Random streams, one per prompt, with one number per token, so that a response does not depend on other rows. */
  readonly rngs: readonly Rng[];
  /** Tokens that end a response when they are sampled. */
  readonly stopTokens: readonly number[];
  /** Functions that add noise to the logits, one per prompt; if undefined, there is no noise. */
  readonly noises?: readonly LogitNoise[];
  /** Key–value caches of the conversations that the prompts continue. Cached tokens are not processed again. */
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

/** Maximum prompts, and prompts × tokens, of a prefill pass: limits memory, and activations fit in the CPU cache. */
const [prefillRows, prefillPositions] = [16, 8192];

export function prefillCount(numPrompts: number, promptTokens: number, batch: number): number {
  const fitting = 2 ** Math.floor(Math.log2(prefillPositions / promptTokens));
  return Math.max(1, Math.min(rowBucket(numPrompts, batch), prefillRows, fitting));
}

/** Rounds up to a power of two, at most `batch`: few graphs are compiled, and unused rows cost little. */
export function rowBucket(numRows: number, batch: number): number {
  return Math.min(2 ** Math.ceil(Math.log2(numRows)), batch);
}

/**
 * Length of the longest prompt, rounded up to a multiple of 32 tokens. For long prompts, such as growing transcripts,
 * the multiple is a larger power of two, at most a quarter of the length.
 */
export function promptBucket(prompts: readonly Int32Array[], limit: number): number {
  const longest = prompts.reduce((most, { length }) => Math.max(most, length), 0);
  if (longest > limit) throw new RangeError(`a prompt has ${longest} tokens, limit is ${limit}`);
  const step = Math.max(32, 2 ** (Math.floor(Math.log2(longest)) - 2));
  return Math.min(step * Math.ceil(longest / step), limit);
}
