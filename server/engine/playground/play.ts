import { z } from "zod";
import { EnvironmentSpec, taskSeeds, type Split } from "#trainer/spec/environment.ts";
import { RolloutShape } from "#trainer/spec/run.ts";
import type { Ending } from "#trainer/environments/environment.ts";
import type { Scene } from "#trainer/environments/scene.ts";

const maxCharacters = 20_000;
const maxTokens = 10_000;
const Text = z
  .string()
  .max(maxCharacters, { error: `longer than ${maxCharacters.toLocaleString("en-US")} characters` });

/** One reply in an episode, typed by a user or written by a policy. */
export const Reply = z.discriminatedUnion("kind", [
  /** A whole response, including tags. */
  z.strictObject({ kind: z.literal("response"), text: Text }),
  /** An action only; it is wrapped into a valid response without a thought. */
  z.strictObject({ kind: z.literal("action"), action: Text }),
  /** A policy's tokens joined by spaces, end token included. */
  z.strictObject({ kind: z.literal("words"), words: Text }),
  /** A language model's tokens with special tokens, and the text that the environment reads. */
  z.strictObject({ kind: z.literal("tokens"), text: Text, tokens: z.array(z.int().min(0)).max(maxTokens) }),
]);
export type Reply = z.infer<typeof Reply>;

/** An episode as a value: its start, the shape of its prompts, and all replies so far. */
export const Play = z.strictObject({
  environment: EnvironmentSpec.refine(({ id }) => id !== "custom", {
    error: "is a task of an external trainer: there is nothing of it to play here",
  }),
  seed: z
    .int()
    .min(0)
    .max(taskSeeds.unseen.to - 1),
  /** null: as in the environment's paper. */
  shape: RolloutShape.nullable().default(null),
  historyLength: z.int().min(0).max(16).default(2),
  replies: z.array(Reply).max(1000),
});
export type Play = z.infer<typeof Play>;

export type PlayedTurn = {
  /** Observation to which this turn's response replied. */
  observation: string;
  /** Response as parsed by the environment. */
  response: string;
  action: string;
  reward: number;
  isFormatValid: boolean;
  isActionValid: boolean;
};

/** A part of the policy's prompt, as words of its vocabulary. In transcript form the policy reads its own responses. */
export type Passage = { author: "environment" | "policy"; words: string };

/** A message to a language model, or its answer; with tokens if it was generated. */
export type Message = { author: "environment" | "policy"; text: string; tokens?: readonly number[] };

/** Visible state of an episode. */
export type Moment = {
  seed: number;
  split: Split;
  task: string;
  taskType: string | undefined;
  observation: string;
  /** Undefined for an environment of texts alone. */
  scene: Scene | undefined;
  ending: Ending;
  isSuccess: boolean;
  /** Undefined if the environment has no score beside success. */
  score: number | undefined;
  maxTurns: number;
  turns: PlayedTurn[];
  admissible: readonly string[];
  /** Number of turns of a shortest solution from here, if the environment can compute it. */
  optimalLength: number | undefined;
  shape: RolloutShape;
  prompt: Passage[];
  /** Words of the prompt outside the policy's vocabulary; it reads them as unknown. */
  unknownWords: string[];
  /** Messages to a language model in place of the prompt, before its chat template. */
  conversation: Message[];
};

/** Input of a policy at a moment. */
export type Position = {
  ending: Ending;
  prompt: Passage[];
  conversation: Message[];
  /** Empty once the episode is over. */
  admissible: { action: string; words: string }[];
};
