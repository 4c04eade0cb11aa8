import type { TaskFamily } from "#trainer/environments/episode.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import type { FrozenParameters, Parameters } from "#trainer/policy/parameters.ts";

/** Text interface between a policy and its environment (encoding and decoding), and the policy's initial weights. */
export type Language = {
  /** The run's environment, adapted so that its texts have the form that this policy reads. */
  readonly family: TaskFamily;
  /** Adapts another environment, so that its texts have the form that this policy reads. */
  readonly speak: (environment: TaskFamily) => TaskFamily;
  readonly config: PolicyConfig;
  readonly maxPromptTokens: number;
  /** Token appended to the expert's responses in behaviour cloning. */
  readonly eosToken: number;
  /** Tokens that end a response; `eosToken` is one of them. */
  readonly stopTokens: readonly number[];
  /** Tokens of the response format and other tokens that are not text, such as `<tool_call>`. */
  readonly controlTokens: readonly number[];
  readonly encode: (text: string) => Int32Array;
  /** Decodes to words, which the environment's `fromWords` converts to the text that it parses. */
  readonly decode: (tokens: Int32Array) => string;
  /** Decodes for a human reader, with special tokens. `family`: the task's environment, if there are several. */
  readonly transcribe: (tokens: Int32Array, family?: TaskFamily) => string;
  /** True for a subword tokenizer, whose single tokens are not whole words. */
  readonly isProse: boolean;
  readonly piece: (token: number) => string;
  /** Makes the initial parameters, before any training in this run. */
  readonly begin: () => Record<string, Float32Array>;
  /** Loads the weights that are never trained; absent if all weights are trained. */
  readonly frozen?: () => FrozenParameters;
  /** Writes the trained policy to a folder, in a format that other programs load (ONNX, or Hugging Face's format). */
  readonly exportPolicy: (folder: string, parameters: Parameters) => void;
};
