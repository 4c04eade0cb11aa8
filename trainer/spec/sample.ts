import { z } from "zod";

/** One line of `samples.jsonl`, which lies beside a run's log: an evaluation episode as it is kept for reading. */
export const SampleEpisode = z.object({
  v: z.literal(1),
  iteration: z.int(),
  /** Of the task. */
  seed: z.int(),
  isSuccess: z.boolean(),
  episodeReward: z.number(),
  turns: z.array(
    z.object({
      prompt: z.string(),
      /** The policy's tokens with their log-probabilities at the sampling temperature. */
      response: z.array(z.object({ token: z.string(), logProb: z.number().nullable() })),
      action: z.string(),
      reward: z.number(),
      isFormatValid: z.boolean(),
      isActionValid: z.boolean(),
    }),
  ),
});
export type SampleEpisode = z.infer<typeof SampleEpisode>;
