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
/** Settings for a batch of prompts, with noise on each response's logits if the sampler is noisy. */
export type NoisySampling = Sampling & {
  noises?: readonly LogitNoise[];
  /** Key–value cache of each prompt's conversation so far. */
  memories?: readonly Memory[];
};

/** Sampled response of one turn. Its last token is the end token unless the response was cut at its length limit. */
export type Completion = { tokens: Int32Array; isCut: boolean; logProbs: Float32Array; entropies: Float32Array };

/** Policy that acts in an environment: reads and writes texts, with the parameters that are being trained. */
export type Actor = Pick<Language, "encode" | "decode" | "transcribe" | "isProse"> & {
  /** Unit of prompts and training rows: `windowed`, one row per turn, or `transcript`, one row per episode. */
  shape: RolloutShape;
  maxRowTokens: number;
  /** Decodes each token by itself, end tokens included. */
  words(tokens: Int32Array): string[];
  /** Samples one response per prompt, each with its own random stream. */
  complete(prompts: readonly Int32Array[], sampling: NoisySampling, rngs: readonly Rng[]): Promise<Completion[]>;
  close(): Promise<void>;
};

type ActorParts = {
  spec: RunSpec;
  environment: TaskFamily;
  /** Environments of the curriculum's phases, in order; `environment` is that of the last phase. */
  phases?: readonly TaskFamily[];
  /** Other environments in which the policy is evaluated, by name. */
  elsewhere?: ReadonlyMap<string, TaskFamily>;
  /** Another run that trained the initial policy from scratch, with its vocabulary and context length. */
  root?: Taught | undefined;
  model?: FoundModel | undefined;
};

/** Run with a built-in policy, which determines vocabulary and context length. */
type Taught = { spec: RunSpec; families: readonly TaskFamily[] };

/** Returns a run's environments, training environments first. Mixtures are replaced by their component environments. */
export function taughtBy({ spec, environment, phases = [], elsewhere = new Map() }: ActorParts): Taught {
  const all = [...phases, environment, ...elsewhere.values()];
  return { spec, families: all.flatMap((family) => family.parts?.map((part) => part.family) ?? [family]) };
}

/** Makes the acting policy of a run from its specification: encoding of texts, sampler, and adapted environment. */
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
    /** Encodes an expert's response for behaviour cloning: its tokens and the end token. */
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

/** Returns the weights that are never trained as inputs of all sessions. They are stored once, at the first pass. */
function frozenOf({ config, frozen }: Language, store: Store): Pick<SessionOptions, "frozen"> {
  if (!frozen) return {};
  const arrays = frozen();
  // 16-bit weights are used only on the CPU, where graphs read the arrays without a copy.
  if (config.architecture && config.halves) return { frozen: () => Promise.resolve(arrays) };
  let held: Promise<Weights> | undefined;
  return { frozen: () => (held ??= store.hold(arraysOf(arrays), frozenShapes(config))) };
}

/** Special tokens that `decode` leaves out. */
const silent = new Set(["<pad>", "<bos>", "<eos>"]);
/** Tags of the response format, which every vocabulary already contains. */
const formatTags = new Set(["<think>", "</think>", "<action>", "</action>"]);
/** Divisor of the context length: training batches have widths that are multiples of 8 tokens. */
const contextStep = 8;

/**
 * Text interface of a built-in policy, which is trained from scratch. Its vocabulary has the words of all
 * environments of the run that trained it from scratch. Its context fits the longest prompt and response of this
 * run's environments.
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
    controlTokens: tokenizer.controlTokens,
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

/** Maximum prompt length in tokens, over all environments of a run. */
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

/** Throws if a run needs words or learned positions that its initial policy, trained by another run, does not have. */
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
    throw new RangeError(`environment: the policy's vocabulary lacks ${named}${more}; ${remedy}`);
  }
  const needed = contextOf(own);
  if (taught.positions === "rotary" || needed <= taught.contextTokens) return;
  throw new RangeError(
    `environment: a prompt and its response take up to ${needed} tokens, but the policy was trained with ${taught.contextTokens} positions; ` +
      `shorten rollout.historyLength or rollout.maxResponseTokens, ${remedy}, or with policy.positions: rotary`,
  );
}

/** Returns the distinct words of all environments, in an order independent of the order of the environments. */
function wordsOf(families: readonly TaskFamily[]): string[] {
  const lists = families.map(({ words }) => words).toSorted((a, b) => b.length - a.length || compareWords(a, b));
  return [...new Set(lists.flat())];
}

function compareWords(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [a.join(" "), b.join(" ")];
  return one < other ? -1 : Number(one > other);
}
