import type { TaskFamily } from "#trainer/environments/episode.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import type { FrozenParameters, Parameters } from "#trainer/policy/parameters.ts";

/** A policy as its environment meets it: the texts that it reads, its tokens, and where it comes from. */
export type Language = {
  /** The environment in the texts of this policy. */
  readonly family: TaskFamily;
  readonly config: PolicyConfig;
  readonly maxPromptTokens: number;
  /** What the expert's responses end with. */
  readonly eosToken: number;
  /** Any of these ends a response; `eosToken` is among them. */
  readonly stopTokens: readonly number[];
  readonly encode: (text: string) => Int32Array;
  /** As the text its environment reads. */
  readonly decode: (tokens: Int32Array) => string;
  /** As a person reads it, with every mark that the policy reads. */
  readonly transcribe: (tokens: Int32Array) => string;
  /** Whether tokens are a tokenizer's, which one by one do not spell the text that they make up. */
  readonly isProse: boolean;
  /** One token by itself. */
  readonly piece: (token: number) => string;
  /** Before any learning in this run. */
  readonly begin: () => Record<string, Float32Array>;
  /** Weights that no update changes, where there are any; read once. */
  readonly frozen?: () => FrozenParameters;
  /** Writes a finished policy where others can load it. */
  readonly exportPolicy: (folder: string, parameters: Parameters) => void;
};
