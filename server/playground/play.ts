import { z } from "zod";
import { EnvironmentSpec, taskSeeds, type Split } from "#trainer/spec/environment.ts";
import { RolloutShape } from "#trainer/spec/run.ts";
import type { Ending } from "#trainer/environments/environment.ts";

const mostCharacters = 20_000;
const mostTokens = 10_000;
const Text = z
  .string()
  .max(mostCharacters, { error: `longer than ${mostCharacters.toLocaleString("en-US")} characters` });

/** One answer to an episode, as a person types it or as a policy wrote it. */
export const Reply = z.discriminatedUnion("kind", [
  /** A whole response, tags and all. */
  z.strictObject({ kind: z.literal("response"), text: Text }),
  /** An action alone; it is put into a valid response without a thought. */
  z.strictObject({ kind: z.literal("action"), action: Text }),
  /** A policy's tokens joined by spaces, end token included. */
  z.strictObject({ kind: z.literal("words"), words: Text }),
  /** A language model's tokens, marks included, and what the environment reads of them. */
  z.strictObject({ kind: z.literal("tokens"), text: Text, tokens: z.array(z.int().min(0)).max(mostTokens) }),
]);
export type Reply = z.infer<typeof Reply>;

/** An episode as a value: where it begins, how its prompts are made, and everything that was answered so far. */
export const Play = z.strictObject({
  environment: EnvironmentSpec.refine(({ id }) => id !== "custom", {
    error: "is a task of an external trainer: there is nothing of it to play here",
  }),
  seed: z
    .int()
    .min(0)
    .max(taskSeeds.unseen.to - 1),
  /** Null: as the environment's paper has it. */
  shape: RolloutShape.nullable().default(null),
  historyLength: z.int().min(0).max(16).default(2),
  replies: z.array(Reply).max(1000),
});
export type Play = z.infer<typeof Play>;

export type PlayedTurn = {
  /** What the policy saw, and answered with this turn's response. */
  observation: string;
  /** As the environment read it. */
  response: string;
  action: string;
  reward: number;
  isFormatValid: boolean;
  isActionValid: boolean;
};

/** A stretch of the policy's prompt, as words of its vocabulary. In a transcript the policy reads its own responses. */
export type Passage = { author: "environment" | "policy"; words: string };

/** A message to a language model, or its answer: with the tokens that it wrote, where it was one. */
export type Message = { author: "environment" | "policy"; text: string; tokens?: readonly number[] };

/** What a moment of an episode looks like from outside. */
export type Moment = {
  seed: number;
  split: Split;
  task: string;
  taskType: string | undefined;
  observation: string;
  ending: Ending;
  isSuccess: boolean;
  /** Undefined where the environment has no score beside success. */
  score: number | undefined;
  maxTurns: number;
  turns: PlayedTurn[];
  admissible: readonly string[];
  /** Turns of a shortest solution from here, where the environment can tell. */
  optimalLength: number | undefined;
  shape: RolloutShape;
  prompt: Passage[];
  /** Words of the prompt that a policy's vocabulary lacks; it reads them as unknown. */
  unknownWords: string[];
  /** What a language model reads in place of the prompt, before its chat template. */
  conversation: Message[];
};

/** What a policy needs to know of a moment to answer it. */
export type Position = {
  ending: Ending;
  prompt: Passage[];
  conversation: Message[];
  /** Empty once the episode is over. */
  admissible: { action: string; words: string }[];
};
