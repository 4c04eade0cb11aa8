import { z } from "zod";

/** Schema of one line of `samples.jsonl` beside a run's log: an evaluation episode, stored for human readers. */
export const StoredEpisode = z.object({
  v: z.literal(1),
  iteration: z.int(),
  seed: z.int(),
  /** Type of the task; absent if the environment has only one. */
  taskType: z.string().optional(),
  isSuccess: z.boolean(),
  /** Environment's own score at the end of the episode, in [0, 1]. */
  score: z.number().optional(),
  episodeReward: z.number(),
  turns: z.array(
    z.object({
      prompt: z.string(),
      /** Tokens of the response, with log-probability and entropy at the sampling temperature; null if not finite. */
      response: z.array(
        z.object({ token: z.string(), logProb: z.number().nullable(), entropy: z.number().nullable().optional() }),
      ),
      /** Text and token ids of a pretrained model's response, because its single tokens do not spell the text. */
      written: z.object({ text: z.string(), tokens: z.array(z.int()) }).optional(),
      action: z.string(),
      reward: z.number(),
      isFormatValid: z.boolean(),
      isActionValid: z.boolean(),
    }),
  ),
});
export type StoredEpisode = z.infer<typeof StoredEpisode>;
