import type { TaskFamily } from "#trainer/environments/episode.ts";
import type { SessionOptions } from "#trainer/onnx/session.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { makeSampler, type LogitNoise } from "#trainer/policy/decode.ts";
import { numParameters, type Parameters } from "#trainer/policy/parameters.ts";
import { makeTokenizer } from "#trainer/policy/tokenizer.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import type { RolloutShape, RunSpec } from "#trainer/spec/run.ts";
import { planMemory } from "#trainer/run/learning/memory.ts";

export type Sampling = { temperature: number; topP: number; topK: number };
/** And, where the sampler's logits are noisy, the noise of each response. */
export type NoisySampling = Sampling & { noises?: readonly LogitNoise[] };

/** What the policy wrote in one turn; the end token is part of it unless it was cut. */
export type Completion = { tokens: Int32Array; isCut: boolean; logProbs: Float32Array; entropies: Float32Array };

/** The policy in front of its environment: texts in, texts out, with live parameters. */
export type Actor = {
  /** How its prompts are made, and so what a training row is. */
  shape: RolloutShape;
  /** Response tokens that a training row can have at most. */
  maxRowTokens: number;
  /** Words of the family's vocabulary, joined by spaces. */
  encode(words: string): Int32Array;
  /** As the text its environment reads. */
  decode(tokens: Int32Array): string;
  /** Each token by itself, end tokens included. */
  words(tokens: Int32Array): string[];
  /** One response per prompt, each from its random stream. */
  complete(prompts: readonly Int32Array[], sampling: NoisySampling, rngs: readonly Rng[]): Promise<Completion[]>;
  close(): Promise<void>;
};

/** Tokens that are no words of a text. */
const silent = new Set(["<pad>", "<bos>", "<eos>"]);
/** Part of every vocabulary already. */
const formatTags = new Set(["<think>", "</think>", "<action>", "</action>"]);
/** Widths of training batches are multiples of this, so the context must be one too. */
const contextStep = 8;

/** Vocabulary, context and sampler that a spec's environment asks for. */
export function makeActor(spec: RunSpec, family: TaskFamily, options: SessionOptions) {
  const tokenizer = makeTokenizer(family.words.filter((word) => !formatTags.has(word)));
  const { maxResponseTokens, historyLength } = spec.rollout;
  const shape = spec.rollout.shape ?? family.shape;
  const maxPromptTokens =
    shape === "windowed" ? family.maxPromptTokens(historyLength) : family.maxTranscriptTokens(maxResponseTokens);
  const config: PolicyConfig = {
    size: spec.policy.size,
    vocabularySize: tokenizer.vocabularySize,
    contextTokens: Math.ceil((maxPromptTokens + maxResponseTokens) / contextStep) * contextStep,
    positions: spec.policy.positions ?? (shape === "windowed" ? "learned" : "rotary"),
  };
  const { decodeRows } = planMemory(config, numParameters(config), spec.execution.memoryLimitMb);
  const sampler = makeSampler(config, { batch: decodeRows, maxPromptTokens, maxResponseTokens }, options);
  const encode = {
    prompt: (text: string): Int32Array => tokenizer.encode(text),
    /** A text with the end token, as the expert's responses are cloned. */
    response: (text: string): Int32Array =>
      Int32Array.of(...tokenizer.encode(family.toWords(text)), tokenizer.eosToken),
  };
  const wordsOf = (tokens: Int32Array): string[] => Array.from(tokens, (token) => tokenizer.words[token] ?? "<unk>");
  const actor = (parameters: Parameters, check: () => void): Actor => ({
    shape,
    maxRowTokens: shape === "windowed" ? maxResponseTokens : family.maxTurns * maxResponseTokens,
    encode: encode.prompt,
    decode: (tokens) =>
      family.fromWords(
        wordsOf(tokens)
          .filter((word) => !silent.has(word))
          .join(" "),
      ),
    words: wordsOf,
    async complete(prompts, sampling, rngs) {
      check();
      return sampler.sample({ parameters, prompts, rngs, stopToken: tokenizer.eosToken, ...sampling });
    },
    close: sampler.close,
  });
  return { actor, config, encode: { ...encode, shape }, tokenizer };
}
