import type { TaskFamily } from "#trainer/environments/episode.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import type { FrozenParameters, Parameters } from "#trainer/policy/parameters.ts";

/** Interface between a policy and its environment: texts, tokens, and the origin of the policy. */
export type Language = {
  /** The environment with texts in the form of this policy. */
  readonly family: TaskFamily;
  /** Another environment with texts in the form of this policy. */
  readonly speak: (environment: TaskFamily) => TaskFamily;
  readonly config: PolicyConfig;
  readonly maxPromptTokens: number;
  /** End token of the expert's responses. */
  readonly eosToken: number;
  /** Any of these ends a response; `eosToken` is among them. */
  readonly stopTokens: readonly number[];
  readonly encode: (text: string) => Int32Array;
  /** Decodes a response to words; the environment's `fromWords` makes of them the text that it parses as an action. */
  readonly decode: (tokens: Int32Array) => string;
  /** Decodes tokens for a reader, with all special tokens; of one environment if the run has several. */
  readonly transcribe: (tokens: Int32Array, family?: TaskFamily) => string;
  /** True for the tokens of a subword tokenizer, which do not spell their text one by one. */
  readonly isProse: boolean;
  /** Decodes one token by itself. */
  readonly piece: (token: number) => string;
  /** Initial parameters, before any training in this run. */
  readonly begin: () => Record<string, Float32Array>;
  /** Weights that no update changes, if there are any; loaded once. */
  readonly frozen?: () => FrozenParameters;
  /** Writes a finished policy where others can load it. */
  readonly exportPolicy: (folder: string, parameters: Parameters) => void;
};
