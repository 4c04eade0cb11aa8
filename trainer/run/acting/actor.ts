import type { TaskFamily } from "#trainer/environments/episode.ts";
import type { SessionOptions } from "#trainer/onnx/session.ts";
import { makeSampler, type LogitNoise, type Memory } from "#trainer/policy/decode.ts";
import type { FoundModel } from "#trainer/policy/hub/findModel.ts";
import type { Rng } from "#trainer/spec/rng.ts";
import { mostRowTokens, rolloutShapeOf } from "#trainer/spec/rowTokens.ts";
import type { RolloutShape, RunSpec } from "#trainer/spec/run.ts";
import { frozenShapes, type Weights } from "#trainer/policy/parameters.ts";
import { arraysOf } from "#trainer/run/learning/hostStore.ts";
import { makeStore } from "#trainer/run/learning/makeStore.ts";
import { checkMemory, planMemory } from "#trainer/run/learning/memory.ts";
import type { Place, Store } from "#trainer/run/learning/store.ts";
import type { Language } from "./language.ts";
import { textLanguage } from "./textLanguage.ts";
import { wordLanguage } from "./wordLanguage.ts";

export type Sampling = { temperature: number; topP: number; topK: number };
/** And, where the sampler's logits are noisy, the noise of each response. */
export type NoisySampling = Sampling & {
  noises?: readonly LogitNoise[];
  /** What is remembered of the conversation that each prompt is all of. */
  memories?: readonly Memory[];
};

/** What the policy wrote in one turn; its end token is part of it unless it was cut. */
export type Completion = { tokens: Int32Array; isCut: boolean; logProbs: Float32Array; entropies: Float32Array };

/** The policy in front of its environment: texts in, texts out, with live parameters. */
export type Actor = {
  /** How its prompts are made, and so what a training row is. */
  shape: RolloutShape;
  /** Response tokens that a training row can have at most. */
  maxRowTokens: number;
  /** A text as the family makes it for this policy. */
  encode(words: string): Int32Array;
  /** As the text its environment reads. */
  decode(tokens: Int32Array): string;
  /** As a person reads it, with every mark that the policy reads. */
  transcribe(tokens: Int32Array): string;
  /** Whether tokens are a tokenizer's, which one by one do not spell the text that they make up. */
  isProse: boolean;
  /** Each token by itself, end tokens included. */
  words(tokens: Int32Array): string[];
  /** One response per prompt, each from its random stream. */
  complete(prompts: readonly Int32Array[], sampling: NoisySampling, rngs: readonly Rng[]): Promise<Completion[]>;
  close(): Promise<void>;
};

type ActorParts = { spec: RunSpec; environment: TaskFamily; model?: FoundModel | undefined };

/** Policy, texts and sampler that a spec asks for, in its environment. */
export function makeActor({ spec, environment, model }: ActorParts, { store, ...options }: Place) {
  const { maxResponseTokens } = spec.rollout;
  const shape = rolloutShapeOf(spec);
  const language = model === undefined ? wordLanguage(spec, environment) : textLanguage(spec, environment, model);
  const { config, family, eosToken, stopTokens, maxPromptTokens } = language;
  const { memoryLimitMb } = spec.execution;
  checkMemory(config, { limitMb: memoryLimitMb, answered: mostRowTokens(spec) });
  const { decodeRows, keptBytes } = planMemory(config, memoryLimitMb);
  const sessionOptions = { ...options, ...frozenOf(language, store ?? makeStore(options)) };
  const limits = { batch: decodeRows, maxPromptTokens, maxResponseTokens, keptBytes };
  const sampler = makeSampler(config, limits, sessionOptions);
  const encode = {
    shape,
    prompt: language.encode,
    /** A text with the end token, as the expert's responses are cloned. */
    response: (text: string): Int32Array => Int32Array.of(...language.encode(family.toWords(text)), eosToken),
  };
  const actor = (parameters: Weights, check: () => void): Actor => ({
    shape,
    maxRowTokens: mostRowTokens(spec),
    encode: language.encode,
    decode: language.decode,
    transcribe: language.transcribe,
    isProse: language.isProse,
    words: (tokens) => Array.from(tokens, language.piece),
    async complete(prompts, sampling, rngs) {
      check();
      return sampler.sample({ parameters, prompts, rngs, stopTokens, ...sampling });
    },
    close: sampler.close,
  });
  return { ...language, actor, encode, sessionOptions };
}

/** Weights that never change are held once, at the first pass, for all sessions. */
function frozenOf({ config, frozen }: Language, store: Store): Pick<SessionOptions, "frozen"> {
  if (!frozen) return {};
  const arrays = frozen();
  // Halves are read by graphs on the processor alone, where arrays stay as they are.
  if (config.architecture && config.halves) return { frozen: () => Promise.resolve(arrays) };
  let held: Promise<Weights> | undefined;
  return { frozen: () => (held ??= store.hold(arraysOf(arrays), frozenShapes(config))) };
}
