import { z } from "zod";
import { Play, type Position } from "./play.ts";

/** What the process that plays episodes is asked. */
export const EpisodeRequest = z.object({ kind: z.enum(["moment", "expert", "position"]), play: Play });
export type EpisodeRequest = z.infer<typeof EpisodeRequest>;

/** Where a language model lies; without a number it has the context that training gives it. */
export const ModelFolder = z.object({ folder: z.string(), contextTokens: z.int().optional() });
export type ModelFolder = z.infer<typeof ModelFolder>;

export const PolicyFiles = z.object({ modelPath: z.string(), vocabularyPath: z.string() });
export type PolicyFiles = z.infer<typeof PolicyFiles>;

const Asked = z.object({
  // Our own process made it.
  position: z.custom<Position>(),
  /** 0 is greedy. */
  temperature: z.number(),
  maxResponseTokens: z.number(),
  /** Task, turn and draw name the stream of chance. */
  stream: z.object({ seed: z.number(), turn: z.number(), draw: z.number() }),
});

/** What the process that runs finished policies is asked: one response. */
export const ProposalRequest = Asked.extend({ files: PolicyFiles });
export type ProposalRequest = z.infer<typeof ProposalRequest>;

/** And the one that runs language models, which holds so many bytes at most. */
export const TextRequest = Asked.extend({ model: ModelFolder, memoryBytes: z.number() });
export type TextRequest = z.infer<typeof TextRequest>;

/** What a process is told that has to load Python before its first episode. */
export const withPython = "with-python";
