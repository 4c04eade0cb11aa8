import type { TaskFamily } from "#trainer/environments/episode.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { makeParameters } from "#trainer/policy/parameters.ts";
import { makeTokenizer } from "#trainer/policy/tokenizer.ts";
import { exportPolicy } from "#trainer/run/keeping/exportPolicy.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import type { Language } from "./language.ts";

/** Tokens that are not printed as words. */
const silent = new Set(["<pad>", "<bos>", "<eos>"]);
/** Tags that every vocabulary already contains. */
const formatTags = new Set(["<think>", "</think>", "<action>", "</action>"]);
/** Training batches have widths that are multiples of this, so the context must be one too. */
const contextStep = 8;

/** A built-in policy: its tokens are the words of its environment, and it is trained from scratch. */
export function wordLanguage(spec: RunSpec, family: TaskFamily): Language {
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
  const piece = (token: number): string => tokenizer.words[token] ?? "<unk>";
  const decode = (tokens: Int32Array): string =>
    family.fromWords(
      Array.from(tokens, piece)
        .filter((word) => !silent.has(word))
        .join(" "),
    );
  return {
    family,
    config,
    maxPromptTokens,
    eosToken: tokenizer.eosToken,
    stopTokens: [tokenizer.eosToken],
    encode: tokenizer.encode,
    decode,
    transcribe: decode,
    piece,
    isProse: false,
    begin: () => makeParameters(config, split(spec.seed, "parameters")),
    exportPolicy: (folder, parameters) => exportPolicy(folder, { config, parameters, tokenizer }),
  };
}
