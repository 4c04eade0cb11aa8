import type { Episode, TaskFamily } from "#trainer/environments/episode.ts";
import { exportAdapter, exportModel } from "#trainer/policy/llama/exportModel.ts";
import { loraOf, makeLora, mergeLora } from "#trainer/policy/llama/lora.ts";
import { readLanguageModel } from "#trainer/policy/languageModel.ts";
import { findHalves, readFrozen, readWeights, valuesOf, type ValuesOf } from "#trainer/policy/llama/weights.ts";
import type { FoundModel } from "#trainer/policy/hub/findModel.ts";
import { inSingle, type FrozenParameters } from "#trainer/policy/parameters.ts";
import { layOutFirst, layOutNext } from "#trainer/policy/text/layOut.ts";
import type { LlamaConfig } from "#trainer/policy/config.ts";
import type { TextTokenizer } from "#trainer/policy/text/readTokenizer.ts";
import { chooseHalves } from "#trainer/run/learning/memory.ts";
import { readPretrained } from "#trainer/spec/policy.ts";
import { split } from "#trainer/spec/rng.ts";
import { mostRowTokens } from "#trainer/spec/rowTokens.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { Language } from "./language.ts";

/** Interface of a pretrained model, which reads and writes the environment's text in its chat template. */
export function textLanguage(spec: RunSpec, environment: TaskFamily, { folder, origin }: FoundModel): Language {
  const lora = loraOf(spec.policy);
  const { tokenizer, config: own } = readLanguageModel(folder, spec.policy.contextTokens);
  const { maxResponseTokens } = spec.rollout;
  const { provider, memoryLimitMb } = spec.execution;
  const halves = lora && provider === "cpu" ? findHalves(folder, own) : undefined;
  const room = { limitMb: memoryLimitMb, answered: mostRowTokens(spec) };
  const config = chooseHalves({ ...own, ...(lora && { lora }) }, halves, room);
  const maxPromptTokens = config.contextTokens - maxResponseTokens;
  if (maxPromptTokens < 1) {
    throw new RangeError(
      `policy.contextTokens: is ${config.contextTokens}, must be above rollout.maxResponseTokens (${maxResponseTokens}) to leave room for a prompt`,
    );
  }
  const encode = (text: string): Int32Array => {
    const tokens = tokenizer.encode(text);
    if (tokens.length <= maxPromptTokens) return tokens;
    throw new RangeError(
      `policy.contextTokens: the prompt has ${tokens.length} tokens, but a context of ${config.contextTokens} leaves ` +
        `room for ${maxPromptTokens} before a response; the model allows ${config.architecture.maxTokens}`,
    );
  };
  let weights: FrozenParameters | undefined;
  const frozen = (): FrozenParameters => (weights ??= readFrozen(folder, config));
  return {
    family: spokenFamily(environment, tokenizer),
    speak: (other) => spokenFamily(other, tokenizer),
    config,
    maxPromptTokens,
    eosToken: tokenizer.eosToken,
    stopTokens: tokenizer.stopTokens,
    controlTokens: tokenizer.controlTokens,
    encode,
    decode: tokenizer.decode,
    transcribe: tokenizer.transcribe,
    piece: tokenizer.piece,
    isProse: true,
    begin: () => (lora ? makeLora(config, lora, split(spec.seed, "adapters")) : readWeights(folder, config)),
    ...(lora && { frozen }),
    exportPolicy(target, parameters) {
      const places = { from: folder, to: target };
      if (!lora) return exportModel(places, config, valuesOf(parameters));
      exportAdapter({ base: describeBase(folder, origin), to: target }, { ...config, lora }, parameters);
      const values = frozenValues(frozen(), config);
      return exportModel(places, config, mergeLora({ ...config, lora }, values, parameters));
    },
  };
}

/** Converts a frozen weight to single precision by name. Only one array is converted at a time. */
function frozenValues(frozen: FrozenParameters, config: LlamaConfig): ValuesOf {
  return (name) => {
    const values = frozen[name];
    if (!values) throw new RangeError(`the model has no weights "${name}"`);
    return inSingle(values, config);
  };
}

/** Name and revision for an adapter's configuration; a hub's model by name, which is valid on every machine. */
function describeBase(folder: string, { name, commit }: FoundModel["origin"]): { name: string; revision?: string } {
  const named = readPretrained(name);
  return named.kind === "folder" || commit === undefined ? { name: folder } : { name: named.name, revision: commit };
}

/** A language model reads and writes sentences, not the compact words of built-in policies. */
function spokenFamily(family: TaskFamily, tokenizer: TextTokenizer): TaskFamily {
  const same = (text: string): string => text;
  const { partOf } = family;
  return {
    ...family,
    ...(partOf && {
      partOf: (seed) => ({ ...partOf(seed), family: spokenFamily(partOf(seed).family, tokenizer) }),
    }),
    start: (seed) => spokenEpisode(family.start(seed), tokenizer),
    toWords: same,
    fromWords: same,
    words: [],
  };
}

function spokenEpisode(episode: Episode, tokenizer: TextTokenizer): Episode {
  return {
    ...episode,
    prompt: (historyLength) => layOutFirst(episode.fullPrompt(historyLength), tokenizer),
    continuation: () =>
      episode.turn === 0
        ? layOutFirst(episode.fullPrompt(0), tokenizer)
        : layOutNext(episode.fullContinuation(), tokenizer),
    respond(response) {
      const turn = episode.respond(response);
      return { ...turn, episode: spokenEpisode(turn.episode, tokenizer) };
    },
  };
}
