import { z } from "zod";
import { Play, type Position } from "./play.ts";

/** What the process that plays episodes is asked. */
export const EpisodeRequest = z.object({ kind: z.enum(["moment", "expert", "position"]), play: Play });
export type EpisodeRequest = z.infer<typeof EpisodeRequest>;

/** What the process that runs finished policies is asked: one response. */
export const ProposalRequest = z.object({
  files: z.object({ modelPath: z.string(), vocabularyPath: z.string() }),
  // Our own process made it.
  position: z.custom<Position>(),
  /** 0 is greedy. */
  temperature: z.number(),
  maxResponseTokens: z.number(),
  /** Task, turn and draw name the stream of chance. */
  stream: z.object({ seed: z.number(), turn: z.number(), draw: z.number() }),
});
export type ProposalRequest = z.infer<typeof ProposalRequest>;

/** What a process is told that has to load Python before its first episode. */
export const withPython = "with-python";
