import type { TaskFamily } from "#trainer/environments/episode.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import type { FrozenParameters, Parameters } from "#trainer/policy/parameters.ts";

/** Interface between a policy and its environment: encoding and decoding of texts, and the policy's initial weights. */
export type Language = {
  /** The run's environment, with texts in the form that this policy reads. */
  readonly family: TaskFamily;
  /** Converts another environment's texts to the form that this policy reads. */
  readonly speak: (environment: TaskFamily) => TaskFamily;
  readonly config: PolicyConfig;
  readonly maxPromptTokens: number;
  /** Token that ends the cloned responses of the expert. */
  readonly eosToken: number;
  /** Tokens that end a response; `eosToken` is one of them. */
  readonly stopTokens: readonly number[];
  readonly encode: (text: string) => Int32Array;
  /**
   * Decodes a response to words, which the environment's `fromWords` converts to the text that it parses as an action.
   */
  readonly decode: (tokens: Int32Array) => string;
  /**
   * Decodes tokens for a human reader, special tokens included. `family` is the task's environment if the run has
   * several.
   */
  readonly transcribe: (tokens: Int32Array, family?: TaskFamily) => string;
  /** True for a subword tokenizer, whose single tokens are not whole words. */
  readonly isProse: boolean;
  readonly piece: (token: number) => string;
  /** Makes the initial parameters, before any training in this run. */
  readonly begin: () => Record<string, Float32Array>;
  /** Loads the weights that are never trained, if the policy has any. */
  readonly frozen?: () => FrozenParameters;
  /** Writes the trained policy to a folder, in a format that other programs can load. */
  readonly exportPolicy: (folder: string, parameters: Parameters) => void;
};
