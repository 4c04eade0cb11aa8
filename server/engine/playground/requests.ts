import { z } from "zod";
import { Play, type Position } from "./play.ts";

export const EpisodeRequest = z.object({ kind: z.enum(["moment", "expert", "position"]), play: Play });
export type EpisodeRequest = z.infer<typeof EpisodeRequest>;

/** Folder of a language model. Without `contextTokens`, the model gets the context length with which it was trained. */
export const ModelFolder = z.object({ folder: z.string(), contextTokens: z.int().optional() });
export type ModelFolder = z.infer<typeof ModelFolder>;

export const PolicyFiles = z.object({ modelPath: z.string(), vocabularyPath: z.string() });
export type PolicyFiles = z.infer<typeof PolicyFiles>;

const Asked = z.object({
  // The position comes from the studio's own process, so it is not validated.
  position: z.custom<Position>(),
  temperature: z.number(),
  maxResponseTokens: z.number(),
  /** Task seed, turn and sample index, from which the random numbers are derived. */
  stream: z.object({ seed: z.number(), turn: z.number(), draw: z.number() }),
});

export const ProposalRequest = Asked.extend({ files: PolicyFiles });
export type ProposalRequest = z.infer<typeof ProposalRequest>;

/** Request for one response of a language model. `memoryBytes`: memory limit of its process. */
export const TextRequest = Asked.extend({ model: ModelFolder, memoryBytes: z.number() });
export type TextRequest = z.infer<typeof TextRequest>;

/** Command-line argument that makes a process load Python before its first episode. */
export const withPython = "with-python";
