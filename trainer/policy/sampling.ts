import type { Rng } from "#trainer/spec/rng.ts";
import type { Choice } from "./chooseToken.ts";
import type { PolicyConfig } from "./config.ts";
import type { Response } from "./decodeRows.ts";
import type { Weights } from "./parameters.ts";

export type SamplerLimits = {
  /** Rows decoded together; more prompts are taken in turns. */
  readonly batch: number;
  readonly maxPromptTokens: number;
  readonly maxResponseTokens: number;
};

/** Changes the logits of one token before it is chosen. */
export type LogitNoise = (logits: Float32Array) => Float32Array;

export type SampleRequest = Partial<Choice> & {
  readonly parameters: Weights;
  readonly prompts: readonly Int32Array[];
  /** One stream per prompt, one draw per token: a response does not depend on what else is in the batch. */
  readonly rngs: readonly Rng[];
  /** A response ends with the first of these. */
  readonly stopTokens: readonly number[];
  /** What the logits of each prompt's response are read through; exactly as they are where it is absent. */
  readonly noises?: readonly LogitNoise[];
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
