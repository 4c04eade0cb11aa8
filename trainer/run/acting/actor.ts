import type { TaskFamily } from "#trainer/environments/episode.ts";
import type { SessionOptions } from "#trainer/onnx/session.ts";
import { makeSampler, type LogitNoise, type Memory } from "#trainer/policy/decode.ts";
import type { FoundModel } from "#trainer/policy/hub/findModel.ts";
import { type Rng, split } from "#trainer/spec/rng.ts";
import { mostRowTokens, rolloutShapeOf } from "#trainer/spec/rowTokens.ts";
import type { PositionKind } from "#trainer/spec/policy.ts";
import type { RolloutShape, RunSpec } from "#trainer/spec/run.ts";
import { frozenShapes, type Weights, makeParameters } from "#trainer/policy/parameters.ts";
import { arraysOf } from "#trainer/run/learning/hostStore.ts";
import { makeStore } from "#trainer/run/learning/makeStore.ts";
import { checkMemory, planMemory } from "#trainer/run/learning/memory.ts";
import type { Place, Store } from "#trainer/run/learning/store.ts";
import type { Language } from "./language.ts";
import { textLanguage } from "./textLanguage.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { makeTokenizer } from "#trainer/policy/tokenizer.ts";
import { exportPolicy } from "#trainer/run/keeping/exportPolicy.ts";

export type Sampling = { temperature: number; topP: number; topK: number };
/** Sampling settings, with the noise of each response where the sampler's logits are noisy. */
export type NoisySampling = Sampling & {
  noises?: readonly LogitNoise[];
  /** KV cache of the conversation that each prompt continues. */
  memories?: readonly Memory[];
};

/** Tokens of one turn, with the end token unless the response was cut. */
export type Completion = { tokens: Int32Array; isCut: boolean; logProbs: Float32Array; entropies: Float32Array };

/** The policy acting in its environment: texts in, texts out, with live parameters. */
export type Actor = {
  /** Shape of its prompts, and therefore of its training rows. */
  shape: RolloutShape;
  /** Maximum response tokens of a training row. */
  maxRowTokens: number;
  /** Encodes a text of the family in this policy's form. */
  encode(words: string): Int32Array;
  /** Decodes tokens to words, which a family's `fromWords` turns into the text that it parses. */
  decode(tokens: Int32Array): string;
  /** Decodes tokens for a reader, with all special tokens; of one environment if the run has several. */
  transcribe(tokens: Int32Array, family?: TaskFamily): string;
  /** True for the tokens of a subword tokenizer, which do not spell their text one by one. */
  isProse: boolean;
  /** Decodes each token by itself, end tokens included. */
  words(tokens: Int32Array): string[];
  /** Samples one response per prompt, each from its random stream. */
  complete(prompts: readonly Int32Array[], sampling: NoisySampling, rngs: readonly Rng[]): Promise<Completion[]>;
  close(): Promise<void>;
};

type ActorParts = {
  spec: RunSpec;
  environment: TaskFamily;
  /** Phases of a curriculum in order; `environment` is the last one. */
  phases?: readonly TaskFamily[];
  /** Further environments in which the policy is evaluated, by name. */
  elsewhere?: ReadonlyMap<string, TaskFamily>;
  /** Run that made the policy and its environments, if it is another run. */
  root?: Taught | undefined;
  model?: FoundModel | undefined;
};

/** Specification and single environments of a run, which determine a built-in policy's words and context. */
type Taught = { spec: RunSpec; families: readonly TaskFamily[] };

/** The single environments of a run, its own ones first. */
export function taughtBy({ spec, environment, phases = [], elsewhere = new Map() }: ActorParts): Taught {
  const all = [...phases, environment, ...elsewhere.values()];
  return { spec, families: all.flatMap((family) => family.parts?.map((part) => part.family) ?? [family]) };
}

/** Makes the policy, texts and sampler of a spec in its environment. */
export function makeActor(parts: ActorParts, { store, ...options }: Place) {
  const { spec, environment, phases = [], elsewhere = new Map(), root, model } = parts;
  const { maxResponseTokens } = spec.rollout;
  const shape = rolloutShapeOf(spec);
  const language =
    model === undefined ? wordLanguage(taughtBy(parts), environment, root) : textLanguage(spec, environment, model);
  const { config, eosToken, stopTokens, maxPromptTokens } = language;
  const { memoryLimitMb } = spec.execution;
  checkMemory(config, { limitMb: memoryLimitMb, answered: mostRowTokens(spec) });
  const { decodeRows, keptBytes } = planMemory(config, memoryLimitMb);
  const sessionOptions = { ...options, ...frozenOf(language, store ?? makeStore(options)) };
  const limits = { batch: decodeRows, maxPromptTokens, maxResponseTokens, keptBytes };
  const sampler = makeSampler(config, limits, sessionOptions);
  const encode = {
    shape,
    prompt: language.encode,
    /** Encodes a text with the end token, as the expert's responses are cloned. */
    response: (text: string, of: TaskFamily): Int32Array =>
      Int32Array.of(...language.encode(of.toWords(text)), eosToken),
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
  const spoken = new Map([...elsewhere].map(([name, other]) => [name, language.speak(other)]));
  return { ...language, phases: phases.map(language.speak), elsewhere: spoken, actor, encode, sessionOptions };
}

/** Weights that never change are stored once for all sessions, at the first pass. */
function frozenOf({ config, frozen }: Language, store: Store): Pick<SessionOptions, "frozen"> {
  if (!frozen) return {};
  const arrays = frozen();
  // 16-bit weights are used only by graphs on the CPU, where arrays stay in place.
  if (config.architecture && config.halves) return { frozen: () => Promise.resolve(arrays) };
  let held: Promise<Weights> | undefined;
  return { frozen: () => (held ??= store.hold(arraysOf(arrays), frozenShapes(config))) };
}

/** Tokens that are not printed as words. */
const silent = new Set(["<pad>", "<bos>", "<eos>"]);
/** Tags that every vocabulary already contains. */
const formatTags = new Set(["<think>", "</think>", "<action>", "</action>"]);
/** Training batches have widths that are multiples of this, so the context must be one too. */
const contextStep = 8;

/**
 * A built-in policy, trained from scratch. Its tokens are the words of all environments of the run that made it, and
 * its context is the longest that one of them needs.
 */
function wordLanguage(own: Taught, family: TaskFamily, root: Taught = own): Language {
  const { spec } = own;
  const tokenizer = makeTokenizer(wordsOf(root.families).filter((word) => !formatTags.has(word)));
  const positions = spec.policy.positions ?? (shapeOf(root) === "windowed" ? "learned" : "rotary");
  const [contextTokens, needed] = [contextOf(root), contextOf(own)];
  if (root !== own) checkTaught(own, { words: tokenizer.words, contextTokens, positions });
  const config: PolicyConfig = {
    size: spec.policy.size,
    vocabularySize: tokenizer.vocabularySize,
    contextTokens: Math.max(contextTokens, needed),
    positions,
  };
  const maxPromptTokens = promptTokensOf(own);
  const piece = (token: number): string => tokenizer.words[token] ?? "<unk>";
  const decode = (tokens: Int32Array): string =>
    Array.from(tokens, piece)
      .filter((word) => !silent.has(word))
      .join(" ");
  return {
    family,
    speak: (other) => other,
    config,
    maxPromptTokens,
    eosToken: tokenizer.eosToken,
    stopTokens: [tokenizer.eosToken],
    encode: tokenizer.encode,
    decode,
    transcribe: (tokens, of = family) => of.fromWords(decode(tokens)),
    piece,
    isProse: false,
    begin: () => makeParameters(config, split(spec.seed, "parameters")),
    exportPolicy: (folder, parameters) => exportPolicy(folder, { config, parameters, tokenizer }),
  };
}

function shapeOf({ spec, families }: Taught): RolloutShape | undefined {
  return spec.rollout.shape ?? families[0]?.shape;
}

/** Maximum prompt in tokens, over all environments of a run. */
function promptTokensOf(run: Taught): number {
  const { historyLength, maxResponseTokens } = run.spec.rollout;
  const shape = shapeOf(run);
  return Math.max(
    ...run.families.map((family) =>
      shape === "windowed" ? family.maxPromptTokens(historyLength) : family.maxTranscriptTokens(maxResponseTokens),
    ),
  );
}

function contextOf(run: Taught): number {
  return Math.ceil((promptTokensOf(run) + run.spec.rollout.maxResponseTokens) / contextStep) * contextStep;
}

/** Throws if a run needs words or learned positions that the policy of its origin does not have. */
function checkTaught(
  own: Taught,
  taught: { words: readonly string[]; contextTokens: number; positions: PositionKind },
): void {
  const known = new Set([...taught.words, ...formatTags]);
  const missing = wordsOf(own.families).filter((word) => !known.has(word));
  const remedy = "train the policy with this environment in evaluation.elsewhere";
  if (missing.length > 0) {
    const named = missing.slice(0, 5).join(", ");
    const more = missing.length > 5 ? ` and ${missing.length - 5} more` : "";
    throw new RangeError(`environment: the policy has no words for ${named}${more}; ${remedy}`);
  }
  const needed = contextOf(own);
  if (taught.positions === "rotary" || needed <= taught.contextTokens) return;
  throw new RangeError(
    `environment: a prompt and its response take up to ${needed} tokens, and the policy has learned ${taught.contextTokens} positions; ` +
      `shorten rollout.historyLength or rollout.maxResponseTokens, ${remedy}, or with policy.positions: rotary`,
  );
}

/** Words of all families, in an order that does not depend on which of them the policy is trained in. */
function wordsOf(families: readonly TaskFamily[]): string[] {
  const lists = families.map(({ words }) => words).toSorted((a, b) => b.length - a.length || compareWords(a, b));
  return [...new Set(lists.flat())];
}

function compareWords(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [a.join(" "), b.join(" ")];
  return one < other ? -1 : Number(one > other);
}
